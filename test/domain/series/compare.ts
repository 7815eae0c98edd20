import { deepStrictEqual } from 'node:assert'
import { OCCURRENCES_MAX } from '../../../src/domain/series/rule.ts'
import { HORIZON, momentOf, momentsOf, wallClocksOf } from './other-library.ts'
import { ZONES } from './rules.ts'
import { findOccurrences } from './series.ts'

/**
 * Compares the moments of a rule in every zone with those of another library. That takes the position in a period before
 * it leaves out what the clock skips, so rules with BYSETPOS are compared at hours that no clock skips. Returns how many
 * were compared.
 */
export const compareEverywhere = (rule: string, from: string): number => {
  const locals = wallClocksOf(rule, from)
  const [first] = locals
  if (first === undefined) return 0
  let compared = 0
  for (const timeZone of ZONES) {
    const start = momentOf(first, timeZone)
    // A rule cannot begin at a time that the clock skips.
    if (start === undefined) continue
    const { starts } = findOccurrences(rule, timeZone, start, HORIZON)
    deepStrictEqual(starts, momentsOf(rule, locals, timeZone, OCCURRENCES_MAX), `${rule} from ${first} in ${timeZone}`)
    compared++
  }
  return compared
}
