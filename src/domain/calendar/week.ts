/** ISO weeks, which begin on Mondays, by their number from that of the Unix epoch. In UTC. */

import { Temporal } from 'temporal-polyfill'
import type { Seconds, UnixSeconds } from '../values/units.ts'

const DAY = 86_400
export const WEEK: Seconds = 7 * DAY
/** The epoch was a Thursday. */
const MONDAY = 3 * DAY

export const weekOf = (moment: UnixSeconds): number => Math.floor((moment + MONDAY) / WEEK)

export const startOfWeek = (week: number): UnixSeconds => week * WEEK - MONDAY

/** A week as ISO 8601 writes it: `2030-W18`. Its year is that of its Thursday. */
export const formatWeek = (week: number): string => {
  const monday = Temporal.Instant.fromEpochMilliseconds(startOfWeek(week) * 1000).toZonedDateTimeISO('UTC')
  return `${String(monday.yearOfWeek).padStart(4, '0')}-W${String(monday.weekOfYear).padStart(2, '0')}`
}
