/** The days of a month, and how keys move among them. Pure: days are midnights of the browser's zone. */

import { firstOfMonth, midnightOf } from '../../format/format.ts'

/** Any of them: weeks begin with it. */
export const MONDAY = new Date(2024, 0, 1).getTime()

/** How many days of its week are before a day. */
const daysBefore = (day: number): number => (new Date(day).getDay() + 6) % 7

/** The days of a month by weeks; those of other months are undefined. */
export const weeksOf = (day: number): readonly (readonly (number | undefined)[])[] => {
  const [first, next] = [firstOfMonth(day), firstOfMonth(day, 1)]
  const before = daysBefore(first)
  const weeks = Math.ceil((before + new Date(next - 1).getDate()) / 7)
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_, n) => {
      const each = midnightOf(first, 7 * week + n - before)
      return each < first || each >= next ? undefined : each
    }),
  )
}

/** The same date some months later, or the last one of a month that is too short for it. */
export const monthsLater = (day: number, count: number): number => {
  const last = midnightOf(firstOfMonth(day, count + 1), -1)
  return Math.min(midnightOf(firstOfMonth(day, count), new Date(day).getDate() - 1), last)
}

/** The day that a key leads to; undefined for other keys. */
export const dayAfterKey = (day: number, { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>) => {
  const months = { PageUp: -1, PageDown: 1 }[key]
  if (months !== undefined) return monthsLater(day, shiftKey ? 12 * months : months)
  const days = {
    ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 },
    ...{ Home: -daysBefore(day), End: 6 - daysBefore(day) },
  }[key]
  return days === undefined ? undefined : midnightOf(day, days)
}
