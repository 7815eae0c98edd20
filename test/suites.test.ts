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

test('control: a folder that no suite runs, or two do, is detected', (t) => {
  const files = testsIn(['guide', 'feed'])
  t.deepEqual(misplaced([['feed']], files), testsIn(['guide']))
  t.deepEqual(misplaced([['feed', 'guide'], ['feed']], files), testsIn(['feed']))
})
