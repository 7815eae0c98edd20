import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { ROOT } from '../process/harness.ts'
import { temporaryDirectory } from '../users/temporary-directory.ts'

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
  const folder = await temporaryDirectory(t)
  await run(join(ROOT, bin.berth), ['--version'], { env: { PATH, NODE_COMPILE_CACHE: folder } })
  t.true(readdirSync(folder).length > 0)
})

test('package-lock.json contains the bin entry, as npm ci requires', (t) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  t.deepEqual(packages[''].bin, bin)
})

/** Runs the launcher of a directory, with the version of an old Node. */
const withOldNode = async (directory: string, ...args: readonly string[]) => {
  const launcher = join(directory, bin.berth)
  const script = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
    Object.defineProperty(process, 'version', { value: 'v20.20.2' });
    process.argv.splice(1, 0, '${launcher}');
    await import('file://${launcher}')`
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
  const directory = await temporaryDirectory(t)
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
