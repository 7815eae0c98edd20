import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryData } from '../../http/harness.ts'
import { runProcess } from '../harness.ts'

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
  [
    'a host address of another machine',
    'BERTH_HOST',
    () => '192.0.2.1',
    /^BERTH_HOST is not an address of this machine/,
  ],
  [
    'a host name without an address',
    'BERTH_HOST',
    () => 'berth.invalid',
    /^BERTH_HOST is a host name that cannot be resolved/,
  ],
]

for (const [what, name, value, problem] of refused) {
  test(`${what} is refused before anything is written`, async (t) => {
    const home = await temporaryData(t)
    await writeFile(join(home, 'text'), 'hush', { mode: 0o600 })
    const data = join(home, 'data')
    const env = { BERTH_PORT: '0', BERTH_DATA: data, [name]: value(home) }
    const { code, errors, output } = await runProcess(t, { data, args: ['serve'], env })
    const lines = errors.trim().split('\n')
    t.deepEqual([code, output, lines.length], [2, '', 1], errors)
    t.regex(String(lines[0]).replace(/^berth: /, ''), problem)
    t.false(errors.includes('hush'))
    t.deepEqual(await readdir(home), ['text'])
  })
}

test('all problems with files and addresses in the variables are reported at once', async (t) => {
  const home = await temporaryData(t)
  await writeFile(join(home, 'text'), 'none')
  const text = join(home, 'text')
  const env = {
    BERTH_PORT: '0',
    BERTH_HOST: '192.0.2.1',
    BERTH_VAULT_KEY_FILE: join(home, 'key'),
    BERTH_AUDIT_KEY_FILE: join(home, 'absent.key'),
    BERTH_EVENT_STORE: `sqlite:${home}/none/events.db`,
    BERTH_TLS_CERT: text,
    BERTH_TLS_KEY: text,
  }
  await mkdir(join(home, 'key'))
  const { code, errors } = await runProcess(t, { data: join(home, 'data'), args: ['serve'], env })
  t.is(code, 2)
  const named = errors.split('\n').flatMap((line) => /^berth: (BERTH_\w+)/.exec(line)?.[1] ?? [])
  t.deepEqual(named.sort(), [
    'BERTH_EVENT_STORE',
    'BERTH_HOST',
    'BERTH_TLS_CERT',
    'BERTH_TLS_KEY',
    'BERTH_VAULT_KEY_FILE',
  ])
  await t.throwsAsync(stat(join(home, 'data')), { code: 'ENOENT' })
})

test('a directory that is not writable is refused before anything is written', async (t) => {
  if (process.getuid?.() === 0) {
    t.log('NOT RUN: root may write everywhere')
    t.pass()
    return
  }
  const home = await temporaryData(t)
  await mkdir(join(home, 'closed'))
  await chmod(join(home, 'closed'), 0o500)
  const env = { BERTH_PORT: '0', BERTH_VAULT_KEY_FILE: join(home, 'closed', 'vault.key') }
  const { code, errors } = await runProcess(t, { data: join(home, 'data'), args: ['serve'], env })
  t.is(code, 2)
  t.regex(errors, /BERTH_VAULT_KEY_FILE: .*closed cannot be written: EACCES/)
  await t.throwsAsync(stat(join(home, 'data')), { code: 'ENOENT' })
})
