/** The parts of a span of time on the wall clock of a zone, for sums. */

import { Temporal } from 'temporal-polyfill'
import { formatWithOffset } from '../values/instant.ts'
import type { UnixMilliseconds } from '../values/units.ts'

export const BUCKET_SIZES = ['hour', 'day', 'week', 'month', 'none'] as const
export type BucketSize = (typeof BUCKET_SIZES)[number]

/** A span of Unix milliseconds, and a zone that `findTimeZone` knows. */
export interface ZonedSpan {
  readonly from: UnixMilliseconds
  readonly to: UnixMilliseconds
  readonly timeZone: string
}

/** A bucket lasts until the next one begins. */
export interface Bucket {
  readonly start: UnixMilliseconds
  /** That start as RFC 3339 in the zone; null for the whole span. */
  readonly name: string | null
}

const HOUR = 3_600_000

const zonedAt = (moment: UnixMilliseconds, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(moment).toZonedDateTimeISO(timeZone)

const bucketAt = (start: UnixMilliseconds, { offsetNanoseconds }: Temporal.ZonedDateTime): Bucket => ({
  start,
  name: formatWithOffset(Math.floor(start / 1000), Math.round(offsetNanoseconds / 60e9)),
})

/** The last moment of a span of whole days in a zone, which may have an hour more or less. */
export const addDays = (moment: UnixMilliseconds, days: number, timeZone: string): UnixMilliseconds =>
  zonedAt(moment, timeZone).add({ days }).epochMilliseconds

/** Days, weeks from Monday or months, by the date at which they begin. A day may begin after midnight, or have 25 hours. */
const datesFrom = ({ from, to, timeZone }: ZonedSpan, size: 'day' | 'week' | 'month'): readonly Bucket[] => {
  const buckets: Bucket[] = []
  const day = zonedAt(from, timeZone).toPlainDate()
  let date = size === 'month' ? day.with({ day: 1 }) : size === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day
  for (;;) {
    const begins = date.toZonedDateTime(timeZone)
    if (begins.epochMilliseconds >= to) return buckets
    buckets.push(bucketAt(begins.epochMilliseconds, begins))
    date = date.add({ [`${size}s`]: 1 })
  }
}

/** Hours of the wall clock. One that a change of the clock cuts or repeats begins again with that change. */
const hoursFrom = ({ from, to, timeZone }: ZonedSpan): readonly Bucket[] => {
  const buckets: Bucket[] = []
  // A change of the clock may lie within the first hour.
  let at = zonedAt(from - HOUR, timeZone)
  while (at.epochMilliseconds < to) {
    const end = at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY
    const offset = at.offsetNanoseconds / 1e6
    let start = at.epochMilliseconds
    for (; start < Math.min(end, to); start = (Math.floor((start + offset) / HOUR) + 1) * HOUR - offset)
      buckets.push(bucketAt(start, at))
    if (end >= to) break
    at = zonedAt(end, timeZone)
  }
  const [, ...whole] = buckets
  return whole.slice(whole.findLastIndex(({ start }) => start <= from))
}

/** The buckets that a span touches, in order. The first may begin before the span, and the last end after it. */
export const bucketsOf = (span: ZonedSpan, size: BucketSize): readonly Bucket[] => {
  if (size === 'none') return [{ start: span.from, name: null }]
  return size === 'hour' ? hoursFrom(span) : datesFrom(span, size)
}
