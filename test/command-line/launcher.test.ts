import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { watch } from '../client/lab.ts'
import { temporaryData } from '../http/harness.ts'
import { COMPILED, ROOT } from '../process/harness.ts'

const run = promisify(execFile)
const { bin, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const OWN_NODES = join(ROOT, 'node_modules/.bin')

test('thorough: the launcher runs with the Node that npx finds first, also from a subfolder', async (t) => {
  const env = { PATH: [OWN_NODES, process.env.PATH].join(delimiter) }
  for (const cwd of [ROOT, join(ROOT, 'src/http')]) {
    const { stdout, stderr } = await run(join(ROOT, bin.berth), ['--version'], { cwd, env })
    t.deepEqual([stdout, stderr], [`berth ${version}\n`, ''])
  }
})

test('thorough: the launcher keeps compiled code beside the packages, or where NODE_COMPILE_CACHE says', async (t) => {
  const PATH = [OWN_NODES, process.env.PATH].join(delimiter)
  await run(join(ROOT, bin.berth), ['--version'], { env: { PATH } })
  t.true(readdirSync(join(ROOT, 'node_modules/.cache/berth')).length > 0)
  const folder = await temporaryData(t)
  await run(join(ROOT, bin.berth), ['--version'], { env: { PATH, NODE_COMPILE_CACHE: folder } })
  t.true(readdirSync(folder).length > 0)
})

test('package-lock.json contains the bin entry, as npm ci requires', (t) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  t.deepEqual(packages[''].bin, bin)
})

/** The launcher as an old Node runs it. */
const asOldNode = (launcher: string): string =>
  `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
    Object.defineProperty(process, 'version', { value: 'v20.20.2' });
    process.argv.splice(1, 0, '${launcher}');
    await import('file://${launcher}')`

/** Runs the launcher of a directory, with the version of an old Node. */
const withOldNode = async (directory: string, ...args: readonly string[]) => {
  const script = asOldNode(join(directory, bin.berth))
  try {
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', script, '--', ...args], {
      env: {},
    })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

test('thorough: on an old Node, the launcher uses the Node in node_modules and passes on its exit code', async (t) => {
  t.deepEqual(await withOldNode(ROOT, '--version'), { code: 0, stdout: `berth ${version}\n`, stderr: '' })
  t.is((await withOldNode(ROOT, 'vrify')).code, 2)
})

test('without Node 26, the launcher explains how to get it', async (t) => {
  const directory = await temporaryData(t)
  mkdirSync(join(directory, 'src/command-line'), { recursive: true })
  cpSync(join(ROOT, bin.berth), join(directory, bin.berth))
  const { code, stdout, stderr } = await withOldNode(directory, '--version')
  t.deepEqual([code, stdout], [2, ''])
  t.regex(stderr, /^berth: requires Node 26, but this is v20\.20\.2: run "npm ci", .*\n$/)
  mkdirSync(join(directory, 'node_modules/.bin'), { recursive: true })
  symlinkSync(process.execPath, join(directory, 'node_modules/.bin/node'))
  cpSync(join(ROOT, 'package.json'), join(directory, 'package.json'))
  t.regex((await withOldNode(directory, '--version')).stderr, /Cannot find module .*main\.ts/)
})

/** Starts a service through another process, and waits until it listens. */
const start = async (t: ExecutionContext, command: string, ...args: readonly string[]) => {
  const env = {
    ...{ PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, BERTH_PORT: '0', BERTH_GATEWAY: 'off' },
    BERTH_DATA: join(await temporaryData(t), 'data'),
  }
  const parent = watch(spawn(command, args, { cwd: ROOT, env }))
  await parent.said('"msg":"listening"')
  const service = Number(/"pid":(\d+)/.exec(parent.output.out)?.[1])
  t.teardown(() => {
    try {
      process.kill(service, 'SIGKILL')
    } catch {
      // It has ended.
    }
  })
  return { ...parent, service }
}

const UNDER_OLD_NODE = [
  process.execPath,
  '--input-type=module',
  '--eval',
  asOldNode(join(ROOT, bin.berth)),
  '--',
  'serve',
]

for (const [what, command, signal, isOrderly] of [
  ['its launcher under an old Node', UNDER_OLD_NODE, 'SIGINT', true],
  ['its launcher under an old Node', UNDER_OLD_NODE, 'SIGTERM', true],
  ['its launcher under an old Node', UNDER_OLD_NODE, 'SIGQUIT', false],
  ['its launcher under an old Node', UNDER_OLD_NODE, 'SIGKILL', false],
  ['npm start', ['npm', 'start'], 'SIGTERM', true],
] as const) {
  test(`thorough: ${signal} to ${what} ends the service, ${isOrderly ? 'in order' : 'too'}`, async (t) => {
    const [file = '', ...args] = command
    const { child, ended } = await start(t, file, ...args)
    child.kill(signal)
    // Once nobody has its output any more, the service neither.
    const { code, out } = await ended
    t.true(!isOrderly || out.includes('"msg":"stopped"'))
    if (isOrderly && command === UNDER_OLD_NODE) t.is(code, 0)
  })
}
