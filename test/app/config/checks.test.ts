import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { problemsOfConfig } from '../../../src/app/config/checks.ts'
import { readConfig } from '../../../src/app/config/config.ts'
import { temporaryData } from '../../http/harness.ts'
import { rightOf } from '../../users/builders.ts'

const problemsOf = (environment: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  problemsOfConfig(rightOf(readConfig({ BERTH_PORT: '0', ...environment })))

const withProc = process.platform === 'linux' ? test : test.skip
for (const variable of ['BERTH_DATA', 'BERTH_VAULT_KEY_FILE', 'BERTH_AUDIT_KEY_FILE']) {
  withProc(`${variable} below a directory that refuses to create anything is refused`, async (t) => {
    const data = join(await temporaryData(t), 'data')
    const problems = await problemsOf({ BERTH_DATA: data, [variable]: '/proc/none/of/these' })
    t.is(problems.length, 1)
    t.regex(problems[0] ?? '', new RegExp(`^${variable}: /proc cannot be written: (?:ENOENT|EACCES)`))
  })
}

/** Opening a pipe without a writer waits for ever, and a device may have no end. */
const FILES = ['BERTH_VAULT_KEY_FILE', 'BERTH_AUDIT_KEY_FILE', 'BERTH_EVENT_STORE'] as const

for (const variable of FILES) {
  test(`${variable} must be a regular file, neither a pipe nor a device`, async (t) => {
    const home = await temporaryData(t)
    await mkdir(join(home, 'data'))
    const pipe = join(home, 'pipe')
    await promisify(execFile)('mkfifo', [pipe])
    for (const path of [pipe, '/dev/zero']) {
      const value = variable === 'BERTH_EVENT_STORE' ? `sqlite:${path}` : path
      const problems = await problemsOf({ BERTH_DATA: join(home, 'data'), [variable]: value })
      t.true(
        problems.some((problem) => problem.startsWith(`${variable}: `) && /not a regular file/.test(problem)),
        `${problems}`,
      )
    }
  })
}

test('a client secret and a TLS authority must be regular files', async (t) => {
  const home = await temporaryData(t)
  const pipe = join(home, 'pipe')
  await promisify(execFile)('mkfifo', [pipe])
  const problems = await problemsOf({
    BERTH_DATA: join(home, 'data'),
    BERTH_EVENT_STORE: `esdb://a:b@store.invalid:2113?tlsCAFile=${pipe}`,
    BERTH_OIDC_ISSUER: 'https://provider.invalid',
    BERTH_OIDC_CLIENT_ID: 'berth',
    BERTH_OIDC_CLIENT_SECRET_FILE: pipe,
    BERTH_OIDC_ROLES: 'lab=tester',
    BERTH_PUBLIC_URL: 'https://berth.invalid',
  })
  t.deepEqual(
    problems.map((problem) => [problem.split(':')[0], problem.includes('is not a regular file')]),
    [
      ['BERTH_EVENT_STORE', true],
      ['BERTH_OIDC_CLIENT_SECRET_FILE', true],
    ],
  )
})

withProc('a data directory that exists and refuses new files is a problem', async (t) => {
  const [problem, ...others] = await problemsOf({ BERTH_DATA: '/proc' })
  t.regex(String(problem), /^BERTH_DATA: \/proc cannot be written: /)
  t.deepEqual(others, [])
})

const KEY = Buffer.alloc(32, 7).toString('base64')

/** A variable, its value given a directory with some files, and the expected error. */
const refused: readonly (readonly [string, string, (home: string) => string, RegExp])[] = [
  ['an invalid vault key', 'BERTH_VAULT_KEY', () => 'hush', /^BERTH_VAULT_KEY cannot be used: key 1 must be an id/],
  ['a repeated vault key id', 'BERTH_VAULT_KEY', () => `a:${KEY},a:${KEY}`, /^BERTH_VAULT_KEY .*key 2 has the id/],
  ['an invalid audit key', 'BERTH_AUDIT_KEY', () => 'hush', /^BERTH_AUDIT_KEY must be 32 bytes/],
  [
    'a vault key file without a key',
    'BERTH_VAULT_KEY_FILE',
    (home) => join(home, 'text'),
    /^BERTH_VAULT_KEY_FILE: .*text: key 1 must/,
  ],
  ['a vault key file that is a directory', 'BERTH_VAULT_KEY_FILE', (home) => home, /^BERTH_VAULT_KEY_FILE: .*EISDIR/],
  [
    'an audit key file without a key',
    'BERTH_AUDIT_KEY_FILE',
    (home) => join(home, 'text'),
    /^BERTH_AUDIT_KEY_FILE: .* must be 32 bytes/,
  ],
  [
    'an audit key file inside a file',
    'BERTH_AUDIT_KEY_FILE',
    (home) => join(home, 'text', 'key'),
    /^BERTH_AUDIT_KEY_FILE: .*ENOTDIR/,
  ],
  [
    'an audit key file that is also the vault key file',
    'BERTH_AUDIT_KEY_FILE',
    (home) => join(home, 'data', 'vault.key'),
    /^BERTH_VAULT_KEY_FILE and BERTH_AUDIT_KEY_FILE name the same file/,
  ],
  [
    'a data directory that is a file',
    'BERTH_DATA',
    (home) => join(home, 'text'),
    /^BERTH_DATA: .*text is not a directory/,
  ],
  ['a data directory inside a file', 'BERTH_DATA', (home) => join(home, 'text', 'data'), /^BERTH_DATA: /],
  [
    'a log in a missing directory',
    'BERTH_EVENT_STORE',
    (home) => `sqlite:${home}/none/events.db`,
    /^BERTH_EVENT_STORE: the directory .* does not exist/,
  ],
  [
    'a missing file of TLS authorities',
    'BERTH_EVENT_STORE',
    (home) => `esdb://a:b@store.invalid:2113?tlsCAFile=${home}/none`,
    /^BERTH_EVENT_STORE: the tlsCAFile .*ENOENT/,
  ],
  [
    'a file of TLS authorities without certificates',
    'BERTH_EVENT_STORE',
    (home) => `esdb://a:b@store.invalid:2113?tlsCAFile=${home}/text`,
    /^BERTH_EVENT_STORE: .* contains no PEM certificate/,
  ],
]

test('every file that cannot be used is named by its variable, without the value, and nothing is made', async (t) => {
  const home = await temporaryData(t)
  await writeFile(join(home, 'text'), 'hush', { mode: 0o600 })
  for (const [what, name, value, problem] of refused) {
    const config = readConfig({ BERTH_PORT: '0', BERTH_DATA: join(home, 'data'), [name]: value(home) })
    const problems = E.isLeft(config) ? config.left : await problemsOfConfig(config.right)
    t.is(problems.length, 1, what)
    t.regex(String(problems[0]), problem, what)
    t.false(problems.join().includes('hush'), what)
  }
  t.deepEqual(await readdir(home), ['text'])
})
