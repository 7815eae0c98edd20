/** Days and times as people type them, in the browser's zone. Instants are Unix milliseconds. */

import { midnightOf } from './format.ts'

/** Days from a day on, or back from it. */
export type Direction = 1 | -1

/** `Mon`, `30 Nov`, `Mon 30 Nov 2026`. */
const DAY =
  '(?:(?<weekday>[a-z]{3})[a-z]*,? ?)?(?:(?<date>\\d{1,2}) (?<month>[a-z]{3})[a-z]*(?: (?<year>\\d{4}))?,? ?)?'
/** `9`, `930`, `9:30`, `9.30`, `9:30:15`. */
const CLOCK = '(?<hour>\\d{1,2})(?:[:.]?(?<minute>\\d{2}))?(?::(?<second>\\d{2}))?'
const TIME_PATTERN = new RegExp(`^${DAY}${CLOCK}$`)
const DAY_PATTERN = new RegExp(`^${DAY}$`)

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

type Groups = Readonly<Record<string, string | undefined>>

/** Midnights of the days that may be meant, the nearest in the direction first. */
const daysMeant = (near: number, { weekday, date, month, year }: Groups, direction: Direction): readonly number[] => {
  const today = new Date(near)
  if (month !== undefined) {
    const years = [today.getFullYear(), today.getFullYear() + direction]
    return (year === undefined ? years : [Number(year)])
      .map((each) => new Date(each, MONTHS.indexOf(month), Number(date)))
      .filter((day) => day.getDate() === Number(date) && (weekday ?? DAYS[day.getDay()]) === DAYS[day.getDay()])
      .map(Number)
  }
  if (weekday === undefined) return [midnightOf(near), midnightOf(near, direction)]
  const away = (direction * (DAYS.indexOf(weekday) - today.getDay()) + 7) % 7
  return [midnightOf(near, direction * away), midnightOf(near, direction * (away + 7))]
}

const groupsOf = (text: string, pattern: RegExp): Groups | undefined => {
  const { groups } = pattern.exec(text.trim().toLowerCase()) ?? {}
  const { weekday = 'sun', month = 'jan' } = groups ?? {}
  return DAYS.includes(weekday) && MONTHS.includes(month) ? groups : undefined
}

/** The times that somebody may mean who types one near another, the nearest in the direction first. */
export const timesMeant = (text: string, near: number, direction: Direction): readonly number[] => {
  const groups = groupsOf(text, TIME_PATTERN)
  const [hours, minutes, seconds] = [groups?.hour, groups?.minute ?? 0, groups?.second ?? 0].map(Number)
  if (groups === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return []
  return daysMeant(near, groups, direction).map((day) => new Date(day).setHours(Number(hours), minutes, seconds, 0))
}

/** The last such time that is over, to the second. */
export const parsePast = (text: string, now: number): number | undefined =>
  timesMeant(text, now, -1).find((time) => time <= now)

/** The midnight of the next or the last such day. */
export const parseDay = (text: string, near: number, direction: Direction): number | undefined => {
  const groups = text.trim() === '' ? undefined : groupsOf(text, DAY_PATTERN)
  const isMeant = (day: number): boolean => direction * (day - midnightOf(near)) >= 0
  return groups && daysMeant(near, groups, direction).find((day) => groups.year !== undefined || isMeant(day))
}
