/**
 * How long the tests of each file took, from their turn on: the durations that ava shows include the wait for it. Each
 * suite writes its own file, which `npm test` reads at its end.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export const TIMES = join(import.meta.dirname, '../../..', 'node_modules/.cache/tests/times')

const times: Record<string, number> = {}

export const addTime = (file: string, milliseconds: number): void => {
  times[file] = (times[file] ?? 0) + milliseconds
}

/** Keeps the times of a suite, by the path of its file. */
export const keepTimes = (suite: string): void => {
  mkdirSync(TIMES, { recursive: true })
  writeFileSync(join(TIMES, `${basename(suite)}.json`), JSON.stringify(times))
}
