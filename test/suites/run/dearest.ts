/** Prints the test files that took longest in the last `npm test`. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TIMES } from './times.ts'

const SHOWN = 10

const times = globSync('*.json', { cwd: TIMES }).flatMap((name) =>
  Object.entries(JSON.parse(readFileSync(join(TIMES, name), 'utf8')) as Record<string, number>),
)
const lines = times
  .toSorted(([, a], [, b]) => b - a)
  .slice(0, SHOWN)
  .map(([file, time]) => `  ${(time / 1000).toFixed(1).padStart(6)} s  ${file}`)
process.stdout.write(
  `  The ${SHOWN} dearest files (seconds from the turn of each test on, added up):\n${lines.join('\n')}\n`,
)
