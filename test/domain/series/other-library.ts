import rrule from 'rrule'
import { Temporal } from 'temporal-polyfill'

/** The horizon of comparisons, in Unix milliseconds. */
export const HORIZON = Date.parse('2030-12-31T00:00:00Z')

/** Wall clock times of a rule without its end, by a library that knows no time zones, up to 2030. */
export const wallClocksOf = (rule: string, from: string): readonly Temporal.PlainDateTime[] => {
  const { count: _, until: __, ...others } = rrule.RRule.parseString(rule)
  const until = new Date('2030-12-31T23:59:59Z')
  const found = new rrule.RRule({ ...others, dtstart: new Date(`${from}Z`), until })
  return found.all().map((date) => Temporal.PlainDateTime.from(date.toISOString().slice(0, 19)))
}

/** The first of the moments of a wall clock time, in Unix milliseconds; undefined if the clock skips it. */
export const momentOf = (local: Temporal.PlainDateTime, timeZone: string): number | undefined => {
  const zoned = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' })
  return zoned.toPlainDateTime().equals(local) ? zoned.epochMilliseconds : undefined
}

/** The moments of a rule with such wall clock times. */
export const momentsOf = (
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
