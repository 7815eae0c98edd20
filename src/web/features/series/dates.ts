/** Windows that come again every week. Pure: instants are Unix milliseconds, days those of the browser's zone. */

import { atClockOf, formatClock, formatCount, formatList, midnightOf, weekdayOf } from '../../format/format.ts'
import { overlaps, type Stretch, type Taken } from '../schedule/calendar.ts'

/** Windows of a form, at least and at most: a year of them. */
export const TIMES_MIN = 2
export const TIMES_MAX = 52

/** The same time of day some days later. A time that the clock skips is moved on; of two moments it is the first. */
const daysLater = (time: number, days: number): number => atClockOf(time, midnightOf(time, days))

/** A window and those on its weekday after it, as the service makes them: a start that the clock skips is left out. */
export const weekly = ({ from, to }: Stretch, times: number): readonly Stretch[] => {
  const windows: Stretch[] = []
  for (let days = 0; windows.length < times; days += 7) {
    const start = daysLater(from, days)
    if (formatClock(start) === formatClock(from)) windows.push({ from: start, to: daysLater(to, days) })
  }
  return windows
}

/** How many such windows begin up to the end of a day, as far as a form goes. */
export const timesUntil = (first: Stretch, day: number): number => {
  const end = midnightOf(day, 1)
  return Math.max(TIMES_MIN, weekly(first, TIMES_MAX).filter(({ from }) => from < end).length)
}

export interface Occurrence extends Stretch {
  readonly taken: Taken | undefined
}

export const occurrencesOf = (windows: readonly Stretch[], taken: readonly Taken[]): readonly Occurrence[] =>
  windows.map((window) => ({ ...window, taken: taken.find((each) => overlaps(each, window)) }))

const UNITS: Readonly<Record<string, string>> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' }
const WEEKDAYS: Readonly<Record<string, string>> = {
  ...{ MO: 'Monday', TU: 'Tuesday', WE: 'Wednesday', TH: 'Thursday', FR: 'Friday', SA: 'Saturday', SU: 'Sunday' },
}

/** `every Thursday`, `every 2 weeks`; of other rules only that it repeats. `start` is the start of a window. */
export const ruleText = (rrule: string, start: number): string => {
  const parts = new Map(
    rrule
      .toUpperCase()
      .split(';')
      .map((part) => part.split('=') as [name: string, value: string]),
  )
  const [freq = '', interval = '1', days] = ['FREQ', 'INTERVAL', 'BYDAY'].map((name) => parts.get(name))
  const unit = UNITS[freq]
  const isOther = [...parts.keys()].some((name) => name.startsWith('BY') && name !== 'BYDAY')
  if (unit === undefined || isOther) return 'repeats'
  if (days === undefined && interval !== '1') return `every ${formatCount(Number(interval), unit)}`
  if (days === undefined) return freq === 'WEEKLY' ? `every ${weekdayOf(start)}` : `every ${unit}`
  const names = days.split(',').flatMap((day) => WEEKDAYS[day] ?? [])
  const isPlain = interval === '1' && (freq === 'WEEKLY' || freq === 'DAILY') && names.length === days.split(',').length
  return isPlain ? `every ${formatList(names)}` : 'repeats'
}
