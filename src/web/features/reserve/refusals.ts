/** Why nothing was booked, in the page's words. Pure. */

import { formatCount, formatHours, HOUR } from '../../format/format.ts'
import type { Problem } from '../../service/api.ts'
import type { Stretch } from '../schedule/calendar.ts'
import type { Offer } from './available.ts'

const DAY = 24 * HOUR
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })

/** `of 23 November`: the Monday of an ISO week such as `2026-W48`. The fourth of January is in the first week. */
const weekText = (week: string): string => {
  const [, year, number] = /^(\d{4})-W(\d\d)$/.exec(week) ?? []
  if (year === undefined) return week
  const fourth = new Date(Date.UTC(Number(year), 0, 4))
  const monday = fourth.getTime() - ((fourth.getUTCDay() + 6) % 7) * DAY
  return `of ${DATE.format(monday + (Number(number) - 1) * 7 * DAY)}`
}

const quotaText = ({ used, quota, week, detail }: Problem, window: Stretch): string => {
  if (used === undefined || quota === undefined) return detail
  if (week === null || week === undefined)
    return `This would be ${used.reservations + 1} of ${formatCount(quota.reservations_max ?? 0, 'open reservation')}.`
  const hours = used.hours + (window.to - window.from) / HOUR
  return `This would be ${formatHours(hours)} of ${formatHours(quota.hours_per_week ?? 0)} in the week ${weekText(week)}.`
}

export const refusalText = (problem: Problem, window: Stretch): string => {
  if (problem.code === 'quota_exceeded') return quotaText(problem, window)
  if (problem.code === 'no_sut_matches') return 'No machines match.'
  if (problem.code !== 'no_sut_free') return problem.detail
  const { matching = 0 } = problem
  return matching === 1
    ? 'The one machine of this kind is not free then.'
    : `None of the ${formatCount(matching, 'machine')} of this kind is free then.`
}

/** Of a series, instead of `detail`, which speaks of rules and fields. */
const OF_SERIES: Readonly<Record<string, string>> = {
  reservation_conflict: 'Some dates are taken, so nothing was booked.',
  window_too_far: 'The last dates are too far ahead. Choose fewer.',
  series_too_long: 'These are too many dates. Choose fewer.',
  series_too_short: 'Only one date is near enough to be booked. Reserve it without repeating.',
  series_overlaps: 'The dates would overlap, or the machine needs its turnaround between them. Choose a shorter time.',
  series_start_mismatch: 'The clocks change on the first date. Choose another time.',
}

export const seriesRefusalText = ({ code, detail }: Problem): string => OF_SERIES[code] ?? detail

const offerOf = (offered: Problem['next_available'], nameOf: (sutId: string) => string): Offer | undefined =>
  offered && 'sut_id' in offered
    ? {
        ...{ sutId: offered.sut_id, name: nameOf(offered.sut_id) },
        ...{ from: Date.parse(offered.start_time), to: Date.parse(offered.end_time) },
      }
    : undefined

/** What `no_sut_free` offers in place of what was asked for. */
export const insteadOf = ({ next_available, longest }: Problem, nameOf: (sutId: string) => string) => ({
  next: offerOf(next_available, nameOf),
  longest: offerOf(longest, nameOf),
})
