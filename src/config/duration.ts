import * as E from 'fp-ts/lib/Either.js'
import { Temporal } from 'temporal-polyfill'

interface Range {
  /** ISO 8601 durations. */
  readonly min: string
  readonly max: string
}

const total = (duration: Temporal.Duration): number =>
  duration.with({ weeks: 0, days: duration.weeks * 7 + duration.days }).total('milliseconds')

/** Milliseconds of an ISO 8601 duration within a range. Left completes the sentence "BERTH_X ...". */
export const durationWithin =
  ({ min, max }: Range) =>
  (value: string): E.Either<string, number> => {
    let parsed: Temporal.Duration
    try {
      parsed = Temporal.Duration.from(value)
    } catch {
      return E.left('must be an ISO 8601 duration like P7D or PT36H')
    }
    if (parsed.years !== 0 || parsed.months !== 0) {
      return E.left('must use weeks, days, hours, minutes and seconds; years and months have no fixed length')
    }
    const milliseconds = total(parsed)
    const [least, most] = [min, max].map((each) => total(Temporal.Duration.from(each))) as [number, number]
    return Number.isInteger(milliseconds) && milliseconds >= least && milliseconds <= most
      ? E.right(milliseconds)
      : E.left(`must be from ${min} to ${max}, in whole milliseconds`)
  }

/** From a quarter of an hour, the shortest window, to ten years, which keeps years at four digits. */
export const duration = durationWithin({ min: 'PT15M', max: 'P3660D' })
