import { formatCount, formatHours } from '../../format/format.ts'
import { HOUR } from '../../format/times.ts'
import type { Problem } from '../../service/api.ts'
import type { Stretch } from '../schedule/calendar.ts'
import type { Offer } from './available.ts'

/** Why nothing was booked, in the page's words. Pure. */

interface Quota {
  readonly used?: { readonly hours: number; readonly reservations: number }
  readonly quota?: { readonly hours_per_week: number | null; readonly reservations_max: number | null }
  readonly week?: string | null
}

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

const quotaText = (problem: Problem, window: Stretch): string => {
  const { used, quota, week } = problem as Quota
  if (used === undefined || quota === undefined) return problem.detail
  if (week === null || week === undefined)
    return `This would be ${used.reservations + 1} of ${formatCount(quota.reservations_max ?? 0, 'open reservation')}.`
  const hours = used.hours + (window.to - window.from) / HOUR
  return `This would be ${formatHours(hours)} of ${formatHours(quota.hours_per_week ?? 0)} in the week ${weekText(week)}.`
}

export const refusalText = (problem: Problem, window: Stretch): string => {
  if (problem.code === 'quota_exceeded') return quotaText(problem, window)
  if (problem.code === 'no_sut_matches') return 'No machines match.'
  if (problem.code !== 'no_sut_free') return problem.detail
  const { matching } = problem
  return matching === 1
    ? 'The one machine of this kind is not free then.'
    : `None of the ${formatCount(Number(matching), 'machine')} of this kind is free then.`
}

interface Named {
  readonly sut_id: string
  readonly start_time: string
  readonly end_time: string
}

const offerOf = (named: unknown, nameOf: (sutId: string) => string): Offer | undefined => {
  if (typeof named !== 'object' || named === null) return undefined
  const { sut_id, start_time, end_time } = named as Named
  return { sutId: sut_id, name: nameOf(sut_id), from: Date.parse(start_time), to: Date.parse(end_time) }
}

/** What `no_sut_free` offers in place of what was asked for. */
export const insteadOf = ({ next_available, longest }: Problem, nameOf: (sutId: string) => string) => ({
  next: offerOf(next_available, nameOf),
  longest: offerOf(longest, nameOf),
})
