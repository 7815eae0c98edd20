import * as Either from 'fp-ts/lib/Either.js'
import { parseRule, type RecurrenceRule } from '../../../src/domain/series/rule.ts'
import { type FirstWindow, findSeriesWindows } from '../../../src/domain/series/windows.ts'
import { instantAt, type OffsetTime } from '../../../src/domain/values/instant.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { administrator, alice, clock, LIMITS, type Reserving, SUT_ID } from '../builders.ts'

const ruleOf = (text: string): RecurrenceRule => {
  const read = parseRule(text)
  if (Either.isLeft(read)) throw new Error(`${text} ${read.left}`)
  return read.right
}

/** The moments of a rule from a moment on, and whether it has more. Unix milliseconds. */
export const findOccurrences = (rule: string, timeZone: string, start: number, horizon: number) => {
  const at = (time: number): OffsetTime => ({ instant: instantAt(time), offset: 0 })
  const first = { start: at(start), end: at(start + 900_000), timeZone }
  const { windows, more } = findSeriesWindows({ rule: ruleOf(rule), first, horizon })
  return { starts: windows.map(({ start: { seconds } }) => seconds * 1000), more }
}

/** A series of Alice's, asked for by an administrator; by default at 05:00 on the default day. */
export const createSeries = (
  rrule: string,
  [start, end]: readonly [OffsetTime, OffsetTime],
  timeZone = 'UTC',
  more: Partial<Reserving<'CreateSeries'>> = {},
  now = clock('05:00'),
): Reserving<'CreateSeries'> => {
  const first: FirstWindow = { start, end, timeZone }
  const rule = ruleOf(rrule)
  const { horizon } = { ...LIMITS, ...more.limits }
  const found = findSeriesWindows({ rule, first, horizon: now + horizon })
  const randoms = Array.from({ length: found.windows.length + 1 }, () => randomHex(8))
  const request = { actor: administrator, sut_id: SUT_ID, user_id: alice, userExists: true, limits: LIMITS }
  return { type: 'CreateSeries', ...request, first, rrule, rule, found, randoms, ...more }
}
