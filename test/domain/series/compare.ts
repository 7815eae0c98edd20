import { deepStrictEqual } from 'node:assert'
import rrule from 'rrule'
import { Temporal } from 'temporal-polyfill'
import { OCCURRENCES_MAX } from '../../../src/domain/series/rule.ts'
import { ZONES } from './rules.ts'
import { findOccurrences } from './series.ts'

/** The horizon of comparisons, in Unix milliseconds. */
const HORIZON = Date.parse('2030-12-31T00:00:00Z')

/** Wall clock times of a rule without its end, by a library that knows no time zones, up to 2030. */
const wallClocksOf = (rule: string, from: string): readonly Temporal.PlainDateTime[] => {
  const { count: _, until: __, ...others } = rrule.RRule.parseString(rule)
  const until = new Date('2030-12-31T23:59:59Z')
  const found = new rrule.RRule({ ...others, dtstart: new Date(`${from}Z`), until })
  return found.all().map((date) => Temporal.PlainDateTime.from(date.toISOString().slice(0, 19)))
}

/** The first of the moments of a wall clock time, in Unix milliseconds; undefined if the clock skips it. */
const momentOf = (local: Temporal.PlainDateTime, timeZone: string): number | undefined => {
  const zoned = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
  return zoned.toPlainDateTime().equals(local) ? zoned.epochMilliseconds : undefined
}

/** The moments of a rule with such wall clock times. */
const momentsOf = (
  rule: string,
  locals: readonly Temporal.PlainDateTime[],
  timeZone: string,
  max: number,
): readonly number[] => {
  const { count, until } = rrule.RRule.parseString(rule)
  const last = Math.min(until?.getTime() ?? HORIZON, HORIZON)
  return locals
    .map((local) => momentOf(local, timeZone))
    .filter((moment) => moment !== undefined && moment <= last)
    .slice(0, count ?? max) as number[]
}

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
