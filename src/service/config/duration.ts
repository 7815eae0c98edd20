import * as E from 'fp-ts/lib/Either.js'
import { Temporal } from 'temporal-polyfill'

/** Milliseconds: a quarter of an hour, the shortest window, to ten years, which keeps years at four digits. */
const DURATION_MIN = 15 * 60_000
const DURATION_MAX = 3660 * 86_400_000

/** Milliseconds of an ISO 8601 duration. Left completes the sentence "BERTH_X ...". */
export const duration = (value: string): E.Either<string, number> => {
  let parsed: Temporal.Duration
  try {
    parsed = Temporal.Duration.from(value)
  } catch {
    return E.left('must be an ISO 8601 duration like P7D or PT36H')
  }
  if (parsed.years !== 0 || parsed.months !== 0) {
    return E.left('must use weeks, days, hours, minutes and seconds; years and months have no fixed length')
  }
  const milliseconds = parsed.with({ weeks: 0, days: parsed.weeks * 7 + parsed.days }).total('milliseconds')
  return Number.isInteger(milliseconds) && milliseconds >= DURATION_MIN && milliseconds <= DURATION_MAX
    ? E.right(milliseconds)
    : E.left('must be from PT15M to P3660D, in whole milliseconds')
}
