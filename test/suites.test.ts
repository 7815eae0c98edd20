import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { testsIn } from './suites/run/folders.ts'

const SUITES = join(import.meta.dirname, 'suites')

/** The folders that a suite runs, as its source names them. */
const foldersOf = (source: string): readonly string[] =>
  [...(/runTestsIn\((.*?)\)/s.exec(source)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(([, folder]) => folder as string)

/** Test files that are not in exactly one suite. */
const misplaced = (suites: readonly (readonly string[])[], all: readonly string[]): readonly string[] => {
  const run = suites.flatMap(testsIn)
  return all.filter((file) => run.filter((one) => one === file).length !== 1)
}

const suites = globSync('*.ts', { cwd: SUITES }).map((name) => foldersOf(readFileSync(join(SUITES, name), 'utf8')))

test('npm test runs every test file once', (t) => {
  t.true(suites.length > 5 && suites.every((folders) => folders.length > 0))
  t.deepEqual(misplaced(suites, testsIn(['**'])), [])
})

/** The programs of others without which a test file says that it was not run. */
const toolsIn = (source: string): readonly string[] =>
  [...source.matchAll(/\bareInstalled\(t, ('[^)]*')\)/g)].flatMap(([, tools = '']) =>
    [...tools.matchAll(/'([^']+)'/g)].map(([, tool]) => tool as string),
  )

const ROOT = join(import.meta.dirname, '..')

test('the checks of every change install what tests need of other programs', (t) => {
  const script = readFileSync(join(ROOT, '.ci/run'), 'utf8')
  const installed = new Set([...script.matchAll(/^need (\S+) \S+$/gm)].map(([, tool]) => tool))
  const needed = globSync('test/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    toolsIn(readFileSync(join(ROOT, file), 'utf8')),
  )
  t.true(needed.length > 10)
  t.deepEqual(
    needed.filter((tool) => !installed.has(tool)),
    [],
  )
})
