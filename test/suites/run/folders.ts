import { globSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of all tests. */
const TESTS = join(import.meta.dirname, '../..')

/**
 * The test files of some folders, sorted, without those that run in a process of their own (`.alone`).
 *
 * @param folders patterns relative to `test`, such as `http/**`
 */
export const testsIn = (folders: readonly string[]): readonly string[] =>
  globSync(
    folders.map((folder) => `${folder}/*.test.ts`),
    { cwd: TESTS, exclude: ['**/*.alone.test.ts', '**/*.alone.thorough.test.ts', '**/node_modules/**'] },
  )
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
