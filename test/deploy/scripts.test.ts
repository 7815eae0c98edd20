import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { readConfig } from '../../src/app/config/config.ts'
import { temporaryData } from '../http/harness.ts'
import { ROOT } from '../process/harness.ts'
import { environmentOf } from './compose.ts'

const exec = promisify(execFile)
const scriptAt = (name: string): string => join(ROOT, 'src/deploy/compose', name)

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a script, optionally with replacements, with `berth` and Node 26 on the PATH. */
const runScript = async (
  t: ExecutionContext,
  name: string,
  env: Readonly<Record<string, string>>,
  { replace = {}, args = [] }: { replace?: Readonly<Record<string, string>>; args?: readonly string[] } = {},
): Promise<Ran> => {
  const bin = await temporaryData(t)
  symlinkSync(join(ROOT, 'src/command-line/berth.js'), join(bin, 'berth'))
  let script = readFileSync(scriptAt(name), 'utf8')
  for (const [from, to] of Object.entries(replace)) script = script.replaceAll(from, to)
  const file = join(bin, name)
  writeFileSync(file, script)
  const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter)
  try {
    return { code: 0, ...(await exec('sh', [file, ...args], { env: { PATH, ...env } })) }
  } catch (error) {
    const { code, stdout, stderr } = error as Ran
    return { code, stdout, stderr }
  }
}

test('the shared files of instances are created once and are valid', async (t) => {
  const directory = await temporaryData(t)
  const replace = { '/etc/berth': directory }
  const nobody = await runScript(t, 'make-shared-files.sh', {}, { replace })
  t.is(nobody.code, 2)
  t.regex(nobody.stderr, /^berth: set BERTH_ADMIN_PASSWORD to a password/)
  t.deepEqual(readdirSync(directory), [])
  const env = { BERTH_ADMIN_PASSWORD: 'correct horse' }
  t.like(await runScript(t, 'make-shared-files.sh', env, { replace }), { code: 0, stderr: '' })
  const files = ['vault.key', 'audit.key'].map((name) => join(directory, name))
  const made = files.map((file) => readFileSync(file, 'utf8'))
  for (const file of files) t.is(statSync(file).mode & 0o077, 0, file)
  t.deepEqual(readdirSync(directory).toSorted(), ['audit.key', 'vault.key'])
  const [vault = '', audit = ''] = made
  const config = readConfig({ BERTH_VAULT_KEY: vault.trim(), BERTH_AUDIT_KEY: audit.trim() })
  t.is(config._tag, 'Right', JSON.stringify(config))
  t.like(await runScript(t, 'make-shared-files.sh', {}, { replace }), { code: 0, stdout: '' })
  t.deepEqual(
    files.map((file) => readFileSync(file, 'utf8')),
    made,
  )
})

test('a clustered instance gets a store address with host names, credentials and TLS', async (t) => {
  const directory = await temporaryData(t)
  writeFileSync(join(directory, 'password'), '0123abcd')
  const replace = {
    '/run/store/password': join(directory, 'password'),
    'exec berth serve': 'echo "$BERTH_EVENT_STORE"',
  }
  const { NODES = '' } = environmentOf('cluster-berth-1')
  const { code, stdout } = await runScript(t, 'start-clustered.sh', { NODES }, { replace })
  t.is(code, 0)
  t.like(readConfig({ BERTH_EVENT_STORE: stdout.trim() }), {
    right: {
      eventStore: {
        kind: 'eventstoredb',
        address: { tls: true, caFile: '/run/store/ca.crt', credentials: { username: 'berth', password: '0123abcd' } },
      },
    },
  })
  t.deepEqual([...stdout.matchAll(/eventstore-[123]:2113/g)].length, 3)
})

test('a cluster node is configured with its name, its peers and its passwords', async (t) => {
  const directory = await temporaryData(t)
  for (const name of ['admin', 'ops']) writeFileSync(join(directory, name), `${name}'s`)
  const replace = { '/run/passwords': directory, 'exec /opt/kurrentdb/KurrentDB': 'exec env' }
  for (const [node, others] of [
    ['1', 'eventstore-2:2113,eventstore-3:2113'],
    ['2', 'eventstore-1:2113,eventstore-3:2113'],
    ['3', 'eventstore-1:2113,eventstore-2:2113'],
  ] as const) {
    const { stdout } = await runScript(t, 'start-store-node.sh', {}, { replace, args: [node] })
    for (const line of [
      `KURRENTDB_GOSSIP_SEED=${others}`,
      `KURRENTDB_NODE_HOST_ADVERTISE_AS=eventstore-${node}`,
      `KURRENTDB_REPLICATION_HOST_ADVERTISE_AS=eventstore-${node}`,
      `KURRENTDB_ADVERTISE_HOST_TO_CLIENT_AS=eventstore-${node}`,
      "KURRENTDB_DEFAULT_ADMIN_PASSWORD=admin's",
      "KURRENTDB_DEFAULT_OPS_PASSWORD=ops's",
    ]) {
      t.true(stdout.split('\n').includes(line), line)
    }
  }
  t.is((await runScript(t, 'start-store-node.sh', {}, { args: ['4'] })).code, 2)
})

/** A stand-in for the vendor's certificate tool. */
const GENCERT = `#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = -out ] && out=$2; kind=\${kind:-$1}; shift; done
mkdir -p "$out"
case $kind in
  create-ca) echo authority-$$ > "$out/ca.crt"; echo key > "$out/ca.key" ;;
  *) echo node-$$ > "$out/node.crt"; echo key-$$ > "$out/node.key" ;;
esac
`

test('certificates and passwords are created once, and again for a node whose volume was removed', async (t) => {
  const directory = await temporaryData(t)
  const places = ['authority', 'tls/1', 'tls/2', 'tls/3', 'client', 'passwords', 'bin']
  for (const place of places) mkdirSync(join(directory, place), { recursive: true })
  const tool = join(directory, 'bin/es-gencert-cli')
  writeFileSync(tool, GENCERT)
  chmodSync(tool, 0o755)
  const script = readFileSync(scriptAt('make-certificates.sh'), 'utf8').replaceAll(
    /(?<=[ =])\/(authority|tls|client|passwords)/g,
    `${directory}/$1`,
  )
  const file = join(directory, 'make.sh')
  writeFileSync(file, script)
  const env = { PATH: [join(directory, 'bin'), process.env.PATH].join(delimiter) }
  const make = () => exec('bash', [file], { env })
  const all = ['1', '2', '3'].flatMap((n) => [`tls/${n}/node.crt`, `tls/${n}/node.key`, `tls/${n}/ca/ca.crt`])
  const look = () =>
    [...all, 'client/ca.crt', 'client/password', 'passwords/admin', 'passwords/ops'].map((path) =>
      readFileSync(join(directory, path), 'utf8'),
    )
  await make()
  const first = look()
  t.regex(first.at(-1) ?? '', /^[0-9a-f]{48}$/)
  await make()
  t.deepEqual(look(), first)
  await exec('rm', ['-rf', join(directory, 'tls/2')])
  mkdirSync(join(directory, 'tls/2'))
  await make()
  const [renewed, others] = [look(), (texts: readonly string[]) => texts.toSpliced(3, 2)]
  t.deepEqual(others(renewed), others(first))
  t.notDeepEqual(renewed.slice(3, 5), first.slice(3, 5))
})
