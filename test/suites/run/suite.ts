import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { hasOneForThorough, isThorough, isThoroughFile, moreIn } from '../../thorough.ts'
import { testsIn } from './folders.ts'

const TESTS = new URL('../..', import.meta.url).href
const GATE = new URL('gate.ts', import.meta.url).href

// Test files import ava as they would alone, and are given one that runs a few tests at a time.
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === 'ava' && context.parentURL !== GATE && context.parentURL?.startsWith(TESTS)
      ? { url: GATE, shortCircuit: true }
      : nextResolve(specifier, context),
})
const { declareAll, enterFile, leaveFile } = await import('./gate.ts')

/** The thorough run loads only files that have something for it, and no other run those that are for it alone. */
const isLoaded = (file: string, source: string): boolean =>
  isThorough ? isThoroughFile(file) || moreIn(source) > 0 || hasOneForThorough(source) : !isThoroughFile(file)

/**
 * Runs the tests of some folders in this one process: loading the service for each of 240 files would cost more than
 * the tests do.
 *
 * @param folders patterns relative to `test`, such as `http/**`
 */
export const runTestsIn = async (...folders: readonly string[]): Promise<void> => {
  for (const file of testsIn(folders)) {
    const source = readFileSync(new URL(file, TESTS), 'utf8')
    if (!isLoaded(file, source)) continue
    enterFile(file)
    await import(`../../${file}`)
    leaveFile(source)
  }
  declareAll()
}
