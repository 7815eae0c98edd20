import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { problemsOfConfig } from '../../../src/app/config/checks/config.ts'
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
