/** Times as people read them, in the browser's zone. Instants are Unix milliseconds. */

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const QUARTER = 15 * MINUTE
const DAY = 24 * HOUR

const two = (value: number): string => String(value).padStart(2, '0')

/** `10:42`. */
export const clockOf = (time: number): string => {
  const date = new Date(time)
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

/**
 * A time as it is read at another one: `15:30` on the same day, `Mon 15:30` on one of the six days before or after, and
 * `Mon 30 Nov 15:30` on any other.
 */
export const whenOf = (time: number, now: number): string => {
  const days = Math.round((midnightOf(time) - midnightOf(now)) / DAY)
  if (days === 0) return clockOf(time)
  return `${Math.abs(days) < 7 ? weekdayOf(time).slice(0, 3) : shortDayOf(time)} ${clockOf(time)}`
}

/** `10:00–12:30`, `Sat 22:00–Sun 06:00`, as in blocks. Midnight belongs to the day before. */
export const rangeOf = (from: number, to: number): string =>
  midnightOf(from) === midnightOf(to - 1)
    ? `${clockOf(from)}–${clockOf(to)}`
    : `${weekdayOf(from).slice(0, 3)} ${clockOf(from)}–${whenOf(to, from)}`

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
  ...['November', 'December'],
] as const

export const weekdayOf = (time: number): string => WEEKDAYS[new Date(time).getDay()] as string
export const monthOf = (time: number): string => MONTHS[new Date(time).getMonth()] as string

/** `Wednesday 25 November`, with the year where it is not this one. */
export const dayTitleOf = (time: number, now: number): string => {
  const date = new Date(time)
  const year = date.getFullYear() === new Date(now).getFullYear() ? '' : ` ${date.getFullYear()}`
  return `${weekdayOf(time)} ${date.getDate()} ${monthOf(time)}${year}`
}

/** `Wed 25 Nov`. */
export const shortDayOf = (time: number): string =>
  `${weekdayOf(time).slice(0, 3)} ${new Date(time).getDate()} ${monthOf(time).slice(0, 3)}`

/** `23 – 29 November`, `30 November – 6 December`; the months by another name if one is given. */
export const datesOf = (from: number, to: number, nameOf = monthOf): string => {
  const isOneMonth = nameOf(from) === nameOf(to)
  return `${new Date(from).getDate()} ${isOneMonth ? '' : `${nameOf(from)} `}– ${new Date(to).getDate()} ${nameOf(to)}`
}

/** `3 Feb 2025`. */
export const dateOf = (time: number): string => {
  const date = new Date(time)
  return `${date.getDate()} ${monthOf(time).slice(0, 3)} ${date.getFullYear()}`
}

/** `Today`, `Tomorrow`, `Yesterday`, otherwise `Wed 25 Nov`. */
export const relativeDayOf = (time: number, now: number): string => {
  const day = midnightOf(time)
  if (day === midnightOf(now)) return 'Today'
  if (day === midnightOf(now, 1)) return 'Tomorrow'
  return day === midnightOf(now, -1) ? 'Yesterday' : shortDayOf(time)
}

/** `Today 14:00 – 16:00`, with the day of the end where it is another one. */
export const spanTextOf = (from: number, to: number, now: number): string => {
  // Midnight belongs to the day before.
  const isOneDay = midnightOf(from) === midnightOf(to - 1)
  return `${relativeDayOf(from, now)} ${clockOf(from)} – ${isOneDay ? '' : `${relativeDayOf(to, now)} `}${clockOf(to)}`
}

/** `45 m`, `1 h 30 m`, `24 h`, `1 d 30 m`, `3 d`. */
export const durationOf = (milliseconds: number): string => {
  const minutes = Math.max(0, Math.floor(milliseconds / MINUTE))
  const days = minutes > 24 * 60 ? Math.floor(minutes / (24 * 60)) : 0
  const [hours, rest] = [Math.floor(minutes / 60) - days * 24, minutes % 60]
  const parts = [days > 0 && `${days} d`, hours > 0 && `${hours} h`, rest > 0 && `${rest} m`]
  return parts.filter((part) => part !== false).join(' ') || '0 m'
}

/** `30 s`, `5 m`, `1 h 30 m`: seconds that somebody has set. */
export const secondsText = (seconds: number): string =>
  seconds < 120 || seconds % 60 !== 0 ? `${seconds} s` : durationOf(seconds * 1_000)

/** Midnight of a day, or of one some days later. Days with a change of the clock are not 24 h long. */
export const midnightOf = (time: number, daysLater = 0): number => {
  const date = new Date(time)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime()
}

/** Midnight of the Monday of a week. */
export const mondayOf = (time: number): number => midnightOf(time, -((new Date(time).getDay() + 6) % 7))

export const firstOfMonth = (time: number, monthsLater = 0): number => {
  const date = new Date(time)
  return new Date(date.getFullYear(), date.getMonth() + monthsLater, 1).getTime()
}

/** `Berlin, UTC+1`. */
export const zoneNameOf = (time: number): string => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const minutes = -new Date(time).getTimezoneOffset()
  const rest = Math.abs(minutes) % 60
  const hours = Math.trunc(Math.abs(minutes) / 60)
  const offset = minutes === 0 ? 'UTC' : `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${two(rest)}`}`
  const city = zone.split('/').at(-1)?.replaceAll('_', ' ')
  return city === undefined || city === 'UTC' ? offset : `${city}, ${offset}`
}

/** A time as the interface takes it, in UTC. */
export const toIso = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')

/** `2,841`, `14.5`. */
export const numberOf = (value: number): string => value.toLocaleString('en-GB', { maximumFractionDigits: 2 })
