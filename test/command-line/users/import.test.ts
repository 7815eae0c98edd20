/** Imports of CSV files, beside a running service that has admin, alice, bob and audrey. */

import { execFile } from 'node:child_process'
import { access, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { temporaryData } from '../../http/harness.ts'
import { allEventsOf } from '../../http/store/log-rows.ts'
import { COMPILED } from '../../process/harness.ts'
import { cheapHash } from '../../users/builders.ts'
import { type Ran, type } from '../terminal.ts'
import { besideService, PEOPLE, rowsOf } from './stage.ts'

/** What a real process may show of it on a slow machine. */
const PROGRESS = /^\d+ of \d+ passwords.*\n/gm

const given = async (t: ExecutionContext) => {
  const stage = await besideService(t)
  const directory = await temporaryData(t)
  const file = join(directory, 'people.csv')
  const importing = async (text: string | Uint8Array, ...more: readonly string[]): Promise<Ran> => {
    await writeFile(file, text)
    return stage.run(['user', 'import', file, ...more])
  }
  return { ...stage, file, passwords: join(directory, 'passwords.txt'), importing }
}

const CSV = 'name,role,quota,scope\ncarol,tester,"hours_per_week=40",team=qa1\n"Doe, Dave",auditor,,\n'

test('an import adds all users in one request and prints the id, name and password of each', async (t) => {
  const { service, importing, names, whoIs } = await given(t)
  const { code, out, error } = await importing(CSV)
  t.deepEqual([code, error], [0, 'berth: 2 users added\n'])
  for (const [id, name, password] of rowsOf(out)) t.is(await whoIs(name, password), id)
  t.deepEqual(await names(), [...PEOPLE, 'carol', 'Doe, Dave'])
  t.like((await service.as('admin').get(`/api/user/${rowsOf(out)[0]?.[0]}`)).json, {
    role: 'tester',
    quota: { hours_per_week: 40, reservations_max: 100, priority_max: 0 },
    scope: 'team=qa1',
  })
  const added = (await allEventsOf(service)).filter(({ metadata }) => metadata.actor === 'command-line')
  t.is(new Set(added.map(({ metadata }) => metadata.request_id)).size, 1)
})

test('passwords go to a new file that only its owner can read', async (t) => {
  const { importing, passwords, whoIs } = await given(t)
  const { code, out, error } = await importing(CSV, '--passwords', passwords)
  t.deepEqual([code, out, error], [0, '', `berth: 2 users added; passwords are in ${passwords}\n`])
  t.is((await stat(passwords)).mode & 0o777, 0o600)
  for (const [id, name, password] of rowsOf(await readFile(passwords, 'utf8'))) t.is(await whoIs(name, password), id)
  const again = await importing('name,role\nerin,tester\n', '--passwords', passwords)
  t.deepEqual([again.code, again.error], [1, `berth: ${passwords} cannot be created: EEXIST\n`])
  t.is(await whoIs('erin', 'x'), 'unauthenticated')
})

test('thorough: passwords that cannot be written leave no file behind, and nobody is added', async (t) => {
  const { service, file, passwords, names } = await given(t)
  await writeFile(file, CSV)
  // A limit of no bytes, as on a full disk.
  const script = 'ulimit -f 0; exec "$0" src/main.ts user import "$1" --passwords "$2"'
  const limited = promisify(execFile)('sh', ['-c', script, process.execPath, file, passwords], {
    env: { BERTH_DATA: service.data, NODE_COMPILE_CACHE: COMPILED },
  })
  const { code, stderr } = await t.throwsAsync<Error & { code: number; stderr: string }>(limited)
  t.deepEqual([code, stderr.replace(PROGRESS, '')], [1, `berth: ${passwords} cannot be written: EFBIG\n`])
  await t.throwsAsync(access(passwords), { code: 'ENOENT' })
  t.deepEqual(await names(), PEOPLE)
})

test('a dry run says who would be added, and adds nobody', async (t) => {
  const { importing, names } = await given(t)
  const { code, out, error } = await importing(CSV, '--dry-run')
  t.deepEqual([code, out], [0, 'carol\ttester\nDoe, Dave\tauditor\n'])
  t.is(error, 'berth: 2 users would be added; nothing was changed\n')
  t.deepEqual(await names(), PEOPLE)
})

const MANY = Array.from({ length: 501 }, (_, n) => `user ${n},tester\n`).join('')
const refusals: readonly (readonly [what: string, text: string | Uint8Array, problems: readonly RegExp[]])[] = [
  [
    'names that are taken',
    'name,role\ncarol,tester\n\nALICE,tester\nBob,auditor\n',
    [/^409 user_name_taken: Other users have 2 of/, /^line 4, column name: is the name /, /^line 5, column name: is /],
  ],
  [
    'a name twice',
    'name,role\nstraße,tester\nSTRASSE,auditor\n',
    [/^409 user_name_taken: /, /^line 3, column name: is the same as in line 2$/],
  ],
  [
    'a role, an id, a scope and a hash that are none',
    'name,role,id,scope,hash\ncarol,root,a/b,team,$argon2i$x\n',
    [
      /^422 invalid: /,
      /^line 2, column id: must be an id/,
      /^line 2, column role: must be one of administrator, tester, auditor$/,
      /^line 2, column scope: must be like site=berlin/,
      /^line 2, column hash: must be a hash of argon2id as a PHC string$/,
    ],
  ],
  [
    'a quota that is none',
    'name,role,quota\na,tester,40\n',
    [/^line 2, column quota: must be "default", or limits like /],
  ],
  [
    'a line break in a name',
    'name,role\n"x\ny",tester\ndave,x\n',
    [/^422 invalid: /, /^line 2, column name: must be 1 to 128 characters/, /^line 4, column role: /],
  ],
  [
    'a quota of an auditor',
    'name,role,quota\ndave,auditor,hours_per_week=1\n',
    [/^422 invalid: /, /^line 2, column quota: is for testers only$/],
  ],
  ['no users', 'name,role\n', [/people\.csv has no rows below a header$/]],
  ['too many users', `name,role\n${MANY}`, [/^line 502 is beyond the 500 rows that a file may have$/]],
  [
    'a header of other columns',
    'name;role,name,name\na,b,c\n',
    [
      /^line 1 must name only the columns name, role, .*; field 1 is none of them$/,
      /^line 1 must name each column once$/,
    ],
  ],
  [
    'too few and too many fields',
    'name,role\nanna\nbob,tester,\n',
    [/^line 2 has 1 fields; the header names 2$/, /^line 3 has 3 fields; the header names 2$/],
  ],
  ['a quote that is not closed', 'name,role\nanna,x\n\nbob,"tester\n', [/^line 4 has a quote that is never closed$/]],
  ['a quote within a field', 'name,role\nan"na,x\n', [/^line 2 has a quote in a field that does not begin with one: /]],
  ['text after a quote', 'name,role\n"anna"x,x\n', [/^line 2 has a closing quote that is followed by neither /]],
  ['a lone carriage return', 'name,role\nanna\r,x\n', [/^line 2 has a lone carriage return or a null$/]],
  ['another coding', Buffer.from('name,role\nZoë,tester\n', 'latin1'), [/ must be in UTF-8$/]],
]
test('an import with a problem adds nobody and prints each, with its line and column; a dry run says the same', async (t) => {
  const { importing, names } = await given(t)
  for (const [what, text, problems] of refusals)
    for (const more of [['--dry-run'], []]) {
      const { code, out, error } = await importing(text, ...more)
      t.deepEqual([code, out], [1, ''], what)
      const lines = error.trimEnd().split('\n')
      t.is(lines.length, problems.length, error)
      for (const [n, problem] of problems.entries()) t.regex(lines[n]?.replace(/^berth: /, '') ?? '', problem, what)
    }
  t.deepEqual(await names(), PEOPLE)
})

test('a file that is not there, or without an end, is refused', async (t) => {
  for (const [file, why] of [
    ['/nowhere', 'cannot be read: ENOENT'],
    ['/dev/zero', 'is larger than 4 MiB'],
  ])
    t.is((await type(['user', 'import', String(file)])).error, `berth: ${file} ${why}\n`)
})

test('a byte order mark, CRLF and the apostrophe of spreadsheets are no part of a name', async (t) => {
  const { importing, names } = await given(t)
  t.is((await importing('\ufeffname,role\r\n\'=1,tester\r\n\r\n"say ""hi""",auditor')).code, 0)
  t.deepEqual(await names(), [...PEOPLE, '=1', 'say "hi"'])
})

test('a service at another address gets the same users, with the same problems', async (t) => {
  const { at, file, whoIs, names } = await given(t)
  const environment = await at('admin')
  const importing = async (text: string, ...more: readonly string[]) => {
    await writeFile(file, text)
    return type(['user', 'import', file, ...more], environment)
  }
  t.is((await importing(CSV, '--dry-run')).out, 'carol\ttester\nDoe, Dave\tauditor\n')
  t.regex((await importing('name,role\nALICE,tester\n')).error, /line 2, column name: is the name of another/)
  const hashed = await importing(`name,role,hash\ncarol,tester,"${await cheapHash('from elsewhere')}"\n`)
  t.is(hashed.error, 'berth: line 2, column hash: is taken on the machine of the service only\n')
  t.deepEqual(await names(), PEOPLE)
  const { code, out } = await importing(CSV)
  t.is(code, 0)
  for (const [id, name, password] of rowsOf(out)) t.is(await whoIs(name, password), id)
  t.deepEqual(await names(), [...PEOPLE, 'carol', 'Doe, Dave'])
})

test('of two imports at the same moment that have a name in common, one adds all of its users', async (t) => {
  const { run, importing, names, file } = await given(t)
  await writeFile(`${file}.2`, 'name,role\nerin,tester\nCAROL,tester\n')
  const both = await Promise.all([importing(CSV), run(['user', 'import', `${file}.2`])])
  t.deepEqual(both.map(({ code }) => code).toSorted(), [0, 1])
  t.deepEqual((await names()).slice(4), both[0]?.code === 0 ? ['carol', 'Doe, Dave'] : ['erin', 'CAROL'])
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
  const { code, out, error } = await importing(`name,role,id,hash\ncarol,tester,old-7,"${hash}"\ndave,auditor,,\n`)
  t.deepEqual([code, error], [0, 'berth: 2 users added\n'])
  t.is(await whoIs('carol', 'from elsewhere'), 'old-7')
  t.deepEqual(out.match(/\t\w+\t/g), ['\tdave\t'])
})
