import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Ended, Part } from '../long-parts.ts'
import { type Patch, patches } from './patches.ts'

const ROOT = join(import.meta.dirname, '../..')
const COPIED = ['src', 'projections', 'test', 'package.json', 'tsconfig.json', 'README.md']
/** Milliseconds. A fault may keep a test from ending. */
const TEST_WITHIN = 120_000

/** The results of a test file, by title. */
const runFile = async (root: string, file: string): Promise<ReadonlyMap<string, boolean>> => {
  const ava = join(root, 'node_modules/ava/entrypoints/cli.js')
  const env = { ...process.env, BERTH_TESTS: '' }
  const options: SpawnOptionsWithoutStdio = { cwd: root, env, detached: true }
  const child = spawn(process.execPath, [ava, '--tap', join('test', file)], options)
  // With the processes that it started: one that a fault keeps busy outlives ava.
  const end = (): boolean => process.kill(-(child.pid as number), 'SIGKILL')
  const timer = setTimeout(end, TEST_WITHIN)
  const out = await text(child.stdout)
  clearTimeout(timer)
  const results = [...out.matchAll(/^(not ok|ok) \d+ - (.*)$/gm)]
  return new Map(results.map(([, verdict, title = '']) => [title, verdict === 'ok']))
}

/** What is wrong if a test does not notice a fault. */
const problemOf = async (root: string, { fault, file, from, to, test: [testFile, title] }: Patch) => {
  const before = (await runFile(root, testFile)).get(title)
  if (before !== true) return `${testFile} has no passing test "${title}"`
  const path = join(root, file)
  const source = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    source.replace(from, () => to),
  )
  const after = (await runFile(root, testFile)).get(title)
  writeFileSync(path, source)
  return after === false ? undefined : `not noticed by ${testFile}: ${fault}`
}

export const patchesPart: Part = {
  name: 'patches',
  what: `makes ${patches.length} faults in a copy of the source, one by one: the test named for each must fail`,
  run: async (scope, { count = patches.length, progress }): Promise<Ended> => {
    const root = mkdtempSync(join(tmpdir(), 'berth-patches-'))
    scope.teardown(() => rmSync(root, { recursive: true, force: true }))
    for (const name of COPIED) cpSync(join(ROOT, name), join(root, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    const problems: string[] = []
    for (const [n, patch] of patches.slice(0, count).entries()) {
      progress(`fault ${n + 1} of ${count}`)
      const problem = await problemOf(root, patch)
      if (problem !== undefined) problems.push(problem)
    }
    return { counts: { faults: Math.min(count, patches.length) }, problems }
  },
}
