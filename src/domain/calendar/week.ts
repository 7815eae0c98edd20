import { Temporal } from 'temporal-polyfill'

/** ISO weeks, which begin on Mondays, by their number from that of the Unix epoch. In UTC. */

const DAY = 86_400
/** Seconds. */
export const WEEK = 7 * DAY
/** The epoch was a Thursday. */
const MONDAY = 3 * DAY

/** The week of a moment in Unix seconds. */
export const weekOf = (moment: number): number => Math.floor((moment + MONDAY) / WEEK)

/** The first second of a week. */
export const startOfWeek = (week: number): number => week * WEEK - MONDAY

/** A week as ISO 8601 writes it: `2030-W18`. Its year is that of its Thursday. */
export const formatWeek = (week: number): string => {
  const monday = Temporal.Instant.fromEpochMilliseconds(startOfWeek(week) * 1000).toZonedDateTimeISO('UTC')
  return `${String(monday.yearOfWeek).padStart(4, '0')}-W${String(monday.weekOfYear).padStart(2, '0')}`
}
