/** What of the reports is shown. Pure: instants are Unix milliseconds, days those of the browser's zone. */

import type { Sut } from '../../data/objects.ts'
import { dayOfTime, isDay, timeOfDay } from '../../features/events/feed.ts'
import type { Stretch } from '../../features/schedule/calendar.ts'
import { formatDates, formatDay, HOUR, midnightOf, shortMonthOf } from '../../format/format.ts'
import type { Schemas } from '../../service/api.ts'

export type UsageRow = Schemas['UsageReport']['rows'][number]
export type DemandRow = Schemas['DemandReport']['rows'][number]

/** What one wants to see. It stands in the address; what is empty is as usual. */
export interface Filter {
  readonly span: string
  /** Days, `2026-11-25`, of a span of one's own. */
  readonly from: string
  readonly to: string
  /** `sut`, `user`, or `tag.<name>`. */
  readonly by: string
  /** The one machine, person or value that is plotted. */
  readonly key: string
}

export const NO_FILTER: Filter = { span: '', from: '', to: '', by: '', key: '' }

export const SPANS = { d7: '7 days', d30: '30 days', d90: '90 days', d400: '400 days', dates: 'Dates' } as const
export type SpanName = keyof typeof SPANS
const DAYS: Readonly<Record<string, number>> = { d7: 7, d30: 30, d90: 90, d400: 400 }
/** Of a report, at most. */
const DAYS_MAX = 400

export const spanNameOf = ({ span }: Filter): SpanName => (Object.hasOwn(SPANS, span) ? (span as SpanName) : 'd30')

/** Whole days, up to the end of today. Two days may be given the wrong way round. */
export const periodOf = (filter: Filter, now: number): Stretch => {
  const days = DAYS[spanNameOf(filter)]
  if (days !== undefined) return { from: midnightOf(now, 1 - days), to: midnightOf(now, 1) }
  const timeOf = (day: string, usual: number): number => Math.min(isDay(day) ? timeOfDay(day) : usual, midnightOf(now))
  const [a, b] = [timeOf(filter.from, midnightOf(now, -29)), timeOf(filter.to, midnightOf(now))]
  const last = Math.max(a, b)
  return { from: Math.max(Math.min(a, b), midnightOf(last, 1 - DAYS_MAX)), to: midnightOf(last, 1) }
}

/** The same days as a span of one's own, to go on from. */
export const asDates = (filter: Filter, now: number): Partial<Filter> => {
  const { from, to } = periodOf(filter, now)
  return { span: 'dates', from: dayOfTime(from), to: dayOfTime(midnightOf(to, -1)) }
}

const TAG = /^tag\.[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** By what is summed up. Testers do not see tags. */
export const byOf = ({ by }: Filter, isTester: boolean): string =>
  by === 'user' || (!isTester && TAG.test(by)) ? by : 'sut'

export const shareOf = ({ held_seconds, used_seconds }: UsageRow): number | undefined =>
  used_seconds === null || held_seconds === 0 ? undefined : Math.round((used_seconds / held_seconds) * 100) / 100

export type BucketSize = 'day' | 'week'

/** Up to five weeks by day, more by week. */
export const bucketSizeOf = ({ from, to }: Stretch): BucketSize => (midnightOf(from, 35) >= to ? 'day' : 'week')

/** The starts of all buckets of a period that have begun. Weeks begin on Monday. */
export const bucketsOf = ({ from, to }: Stretch, size: BucketSize, now: number): readonly number[] => {
  const step = size === 'day' ? 1 : 7
  const first = size === 'day' ? midnightOf(from) : midnightOf(from, -((new Date(from).getDay() + 6) % 7))
  const starts: number[] = []
  for (let start = first; start < to && start <= now; start = midnightOf(start, step)) starts.push(start)
  return starts
}

/** The row of each bucket, of which a report leaves out those with nothing but 0. */
export const rowsByBucket = <R extends { readonly bucket: string | null }>(
  rows: readonly R[],
  buckets: readonly number[],
): readonly (R | undefined)[] => {
  const byStart = new Map(rows.map((row) => [Date.parse(row.bucket ?? ''), row]))
  return buckets.map((start) => byStart.get(start))
}

/** `16 Nov`. */
export const shortBucketText = (start: number): string => `${new Date(start).getDate()} ${shortMonthOf(start)}`

/** `Mon 16 Nov`, `16 – 22 Nov`. */
export const bucketText = (start: number, size: BucketSize): string =>
  size === 'day' ? formatDay(start) : formatDates(start, midnightOf(start, 6), shortMonthOf)

/** The share of machines that were held, by weekday from Monday and hour; undefined for hours that have not come. */
export const heldShares = (
  rows: readonly UsageRow[],
  { from, to }: Stretch,
  machines: number,
  now: number,
): readonly (readonly (number | undefined)[])[] => {
  const empty = () => Array.from({ length: 7 }, () => new Array<number>(24).fill(0))
  const [held, hours] = [empty(), empty()]
  const add = (to: number[][], time: number, value: number): void => {
    const date = new Date(time)
    const day = to[(date.getDay() + 6) % 7] as number[]
    day[date.getHours()] = (day[date.getHours()] ?? 0) + value
  }
  for (let hour = from; hour < Math.min(to, now); hour += HOUR) add(hours, hour, Math.min(1, (now - hour) / HOUR))
  for (const { bucket, held_seconds } of rows) add(held, Date.parse(bucket ?? ''), held_seconds / 3_600)
  return held.map((day, n) =>
    day.map((sum, hour) => {
      const possible = (hours[n]?.[hour] ?? 0) * machines
      return possible === 0 ? undefined : Math.min(1, sum / possible)
    }),
  )
}

/** Machines that nobody used: reserved, but never connected to, and those that nobody reserved. */
export const unusedOf = (rows: readonly UsageRow[], suts: Iterable<Pick<Sut, '_id' | 'name' | 'is_active'>>) => {
  const byKey = new Map(rows.map((row) => [row.key, row]))
  return [...suts]
    .flatMap(({ _id, name, is_active }) => {
      const { held_seconds = 0, used_seconds = 0, reservations = 0 } = byKey.get(_id) ?? {}
      if (used_seconds !== 0) return []
      const often = reservations === 1 ? 'once' : `${reservations} times`
      const text =
        reservations > 0 ? `Reserved ${often}, nobody connected` : is_active ? 'Nobody reserved it' : 'Inactive'
      return [{ key: _id, name, text, held: held_seconds }]
    })
    .sort((a, b) => b.held - a.held)
}

/** `No machine free`, from the codes of refusals; the most frequent ones first. */
export const refusedOf = (rows: readonly Pick<DemandRow, 'refused'>[]) => {
  const counts = new Map<string, number>()
  for (const { refused } of rows)
    for (const [code, count] of Object.entries(refused)) counts.set(code, (counts.get(code) ?? 0) + count)
  const textOf = (code: string): string => code.replaceAll('_', ' ').replace(/\bsut\b/, 'machine')
  return [...counts]
    .map(([code, count]) => ({ text: textOf(code).replace(/^./, (first) => first.toUpperCase()), count }))
    .sort((a, b) => b.count - a.count)
}
