import { execFile } from 'node:child_process'
import { access, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { passwordOf } from '../../http/client.ts'
import { start, temporaryData } from '../../http/harness.ts'
import { NOW } from '../../http/requests.ts'
import { allEventsOf } from '../../http/store/log-rows.ts'
import { COMPILED } from '../../process/harness.ts'
import { cheapHash } from '../../users/builders.ts'
import { type } from '../terminal.ts'
import { PEOPLE, whoIsAt } from './stage.ts'

/** Imports of CSV files, beside a running service that has admin, alice, bob and audrey. */

/** Hashing takes no time, so that no progress is shown. */
const AT_ONCE = (): number => Date.parse(NOW)

/** What a real process may show of it on a slow machine. */
const PROGRESS = /^\d+ of \d+ passwords.*\n/gm

const given = async (t: ExecutionContext) => {
  const service = await start(t)
  const directory = await temporaryData(t)
  const file = join(directory, 'people.csv')
  const passwords = join(directory, 'passwords.txt')
  const importing = async (text: string, ...more: readonly string[]) => {
    await writeFile(file, text)
    return type(['user', 'import', file, ...more], { BERTH_DATA: service.data }, { now: AT_ONCE })
  }
  const namesNow = async (): Promise<readonly unknown[]> => {
    const { users } = (await service.as('admin').get('/api/user')).json as { users: readonly { name: string }[] }
    return users.map(({ name }) => name).toReversed()
  }
  return { service, file, passwords, importing, namesNow, whoIs: whoIsAt(service) }
}

const CSV = 'name,role,quota,scope\ncarol,tester,"hours_per_week=40",team=qa1\n"Doe, Dave",auditor,,\n'

test('an import adds all users in one request and prints the id, name and password of each', async (t) => {
  const { service, importing, namesNow, whoIs } = await given(t)
  const { code, out, error } = await importing(CSV)
  t.deepEqual([code, error], [0, 'berth: 2 users added\n'])
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  t.deepEqual(
    rows.map(([, name]) => name),
    ['carol', 'Doe, Dave'],
  )
  for (const [id, name, password] of rows) t.is(await whoIs(name, password), id)
  t.deepEqual(await namesNow(), [...PEOPLE, 'carol', 'Doe, Dave'])
  t.like((await service.as('admin').get(`/api/user/${rows[0]?.[0]}`)).json, {
    role: 'tester',
    quota: { hours_per_week: 40, reservations_max: 100, priority_max: 0 },
    scope: 'team=qa1',
  })
  const added = (await allEventsOf(service)).filter(({ metadata }) => metadata.actor === 'command-line')
  t.is(new Set(added.map(({ metadata }) => metadata.request_id)).size, 1)
  t.deepEqual(
    added.map(({ type }) => type),
    ['UserAdded', 'UserAdded'],
  )
})

test('passwords go to a new file that only its owner can read', async (t) => {
  const { importing, passwords, whoIs } = await given(t)
  const { code, out, error } = await importing(CSV, '--passwords', passwords)
  t.deepEqual([code, out, error], [0, '', `berth: 2 users added; passwords are in ${passwords}\n`])
  t.is((await stat(passwords)).mode & 0o777, 0o600)
  const [id, name, password] = (await readFile(passwords, 'utf8')).split('\n')[0]?.split('\t') ?? []
  t.is(await whoIs(name, password), id)
  const again = await importing('name,role\nerin,tester\n', '--passwords', passwords)
  t.deepEqual([again.code, again.error], [1, `berth: ${passwords} cannot be created: EEXIST\n`])
  t.is(await whoIs('erin', 'x'), 'unauthenticated')
})

test('thorough: passwords that cannot be written leave no file behind, and nobody is added', async (t) => {
  const { service, file, passwords, namesNow } = await given(t)
  await writeFile(file, CSV)
  // A limit of no bytes, as on a full disk.
  const script = 'ulimit -f 0; exec "$0" src/main.ts user import "$1" --passwords "$2"'
  const limited = promisify(execFile)('sh', ['-c', script, process.execPath, file, passwords], {
    env: { BERTH_DATA: service.data, NODE_COMPILE_CACHE: COMPILED },
  })
  const { code, stderr } = await t.throwsAsync<Error & { code: number; stderr: string }>(limited)
  t.deepEqual([code, stderr.replace(PROGRESS, '')], [1, `berth: ${passwords} cannot be written: EFBIG\n`])
  await t.throwsAsync(access(passwords), { code: 'ENOENT' })
  t.deepEqual(await namesNow(), PEOPLE)
})

test('a dry run says who would be added, and adds nobody', async (t) => {
  const { importing, namesNow } = await given(t)
  const { code, out, error } = await importing(CSV, '--dry-run')
  t.deepEqual([code, out], [0, 'carol\ttester\nDoe, Dave\tauditor\n'])
  t.is(error, 'berth: 2 users would be added; nothing was changed\n')
  t.deepEqual(await namesNow(), PEOPLE)
})

const refusals: readonly (readonly [what: string, text: string, expected: RegExp])[] = [
  [
    'names that are taken',
    'name,role\ncarol,tester\nALICE,tester\nBob,auditor\n',
    /^berth: 409 user_name_taken: Other users have 2 of .*\nberth: line 3, column name: is the name .*\nberth: line 4, column name: is the name .*\n$/,
  ],
  [
    'problems of the file',
    'name,role,quota\ncarol,root,\ndave,auditor,hours_per_week=1\n',
    /^berth: line 2, column role: must be one of .*\nberth: line 3, column quota: is for testers only\n$/,
  ],
  ['no users', 'name,role\n', /^berth: .*people\.csv has no users\n$/],
  [
    'too many users',
    `name,role\n${Array.from({ length: 501 }, (_, n) => `user ${n},tester\n`).join('')}`,
    /^berth: line 502 is beyond the 500 users that a file may have: split the file\n$/,
  ],
]
for (const [what, text, expected] of refusals) {
  test(`an import with ${what} adds nobody, and a dry run says the same`, async (t) => {
    const { importing, namesNow } = await given(t)
    for (const more of [['--dry-run'], []]) {
      const { code, out, error } = await importing(text, ...more)
      t.deepEqual([code, out], [1, ''])
      t.regex(error, expected)
    }
    t.deepEqual(await namesNow(), PEOPLE)
  })
}

test('a file that is not there is refused', async (t) => {
  const { file } = await given(t)
  t.deepEqual(await type(['user', 'import', file], {}), {
    code: 1,
    out: '',
    error: `berth: ${file} cannot be read: ENOENT\n`,
  })
})

test('a service at another address gets the same users, with the same problems', async (t) => {
  const { service, file, whoIs, namesNow } = await given(t)
  const credentials = join(service.data, 'admin.credentials')
  await writeFile(credentials, `admin:${passwordOf('admin')}\n`, { mode: 0o600 })
  const importing = async (text: string, ...more: readonly string[]) => {
    await writeFile(file, text)
    return type(['user', 'import', file, ...more], { BERTH_URL: service.url, BERTH_CREDENTIALS_FILE: credentials })
  }
  t.is((await importing(CSV, '--dry-run')).out, 'carol\ttester\nDoe, Dave\tauditor\n')
  t.regex(
    (await importing('name,role\nerin,tester\nALICE,tester\n')).error,
    /line 3, column name: is the name of another/,
  )
  t.deepEqual(await namesNow(), PEOPLE)
  const { code, out } = await importing(CSV)
  t.is(code, 0)
  for (const [id, name, password] of out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')))
    t.is(await whoIs(name, password), id)
  t.deepEqual(await namesNow(), [...PEOPLE, 'carol', 'Doe, Dave'])
})

test('of two imports at the same moment that have a name in common, one adds all of its users', async (t) => {
  const { service, importing, namesNow, file } = await given(t)
  await writeFile(`${file}.2`, 'name,role\nerin,tester\nCAROL,tester\n')
  const both = await Promise.all([
    importing(CSV),
    type(['user', 'import', `${file}.2`], { BERTH_DATA: service.data }, { now: AT_ONCE }),
  ])
  t.deepEqual(both.map(({ code }) => code).toSorted(), [0, 1])
  const names = await namesNow()
  t.deepEqual(names.slice(4), both[0]?.code === 0 ? ['carol', 'Doe, Dave'] : ['erin', 'CAROL'])
})

test('thorough: as many users as a file may have are added at once', async (t) => {
  const { service, importing } = await given(t)
  const limits = '"hours_per_week=40,reservations_max=20,priority_max=none",team=qa1'
  const hash = `"${await cheapHash('from elsewhere')}"`
  const rows = Array.from({ length: 500 }, (_, n) => `first.last-${n}@lab.example,tester,${limits},${hash}\n`)
  const { code, error } = await importing(`name,role,quota,scope,hash\n${rows.join('')}`)
  t.is(code, 0, error)
  t.is((await service.as('admin').get('/api/user')).json.count, 504)
})

test('users from elsewhere keep their ids and passwords, and only the others get a password', async (t) => {
  const { importing, whoIs } = await given(t)
  const hash = await cheapHash('from elsewhere')
  const file = `name,role,id,hash\ncarol,tester,old-7,"${hash}"\ndave,auditor,,\n`
  const { code, out, error } = await importing(file)
  t.deepEqual([code, error], [0, 'berth: 2 users added\n'])
  t.is(await whoIs('carol', 'from elsewhere'), 'old-7')
  t.deepEqual(out.match(/\t\w+\t/g), ['\tdave\t'])
})

test('a file with hashes is refused at BERTH_URL', async (t) => {
  const { file } = await given(t)
  await writeFile(file, `name,role,hash\ncarol,tester,"${await cheapHash('from elsewhere')}"\n`)
  const elsewhere = { BERTH_URL: 'http://127.0.0.1:1', BERTH_TOKEN: `berth_${'a'.repeat(43)}` }
  const { code, error } = await type(['user', 'import', file], elsewhere)
  t.deepEqual([code, error], [1, 'berth: line 2, column hash: is taken on the machine of the service only\n'])
})
