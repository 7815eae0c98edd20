/**
 * Arithmetic of days; times, lengths and numbers as text. Instants are Unix milliseconds, days those of the browser's
 * zone.
 */

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const QUARTER = 15 * MINUTE

/** Midnight of a day, or of one some days later. Days with a change of the clock are not 24 h long. */
export const midnightOf = (time: number, daysLater = 0): number => {
  const date = new Date(time)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime()
}

export const firstOfMonth = (time: number, monthsLater = 0): number => {
  const date = new Date(time)
  return new Date(date.getFullYear(), date.getMonth() + monthsLater, 1).getTime()
}

/** The time of day of a time, on another day. */
export const atClockOf = (time: number, day: number): number => {
  const date = new Date(time)
  return new Date(day).setHours(date.getHours(), date.getMinutes(), date.getSeconds(), 0)
}

/** A time as the interface takes it, in UTC. */
export const toIso = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')

const DAY = 24 * 60 * MINUTE

const two = (value: number): string => String(value).padStart(2, '0')

/** `10:42`. */
export const formatClock = (time: number): string => {
  const date = new Date(time)
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

/** `10:42:07`. */
export const formatSecond = (time: number): string => `${formatClock(time)}:${two(new Date(time).getSeconds())}`

const longWeekday = new Intl.DateTimeFormat('en', { weekday: 'long' })
const longMonth = new Intl.DateTimeFormat('en', { month: 'long' })

export const weekdayOf = (time: number): string => longWeekday.format(time)
export const monthOf = (time: number): string => longMonth.format(time)
export const shortMonthOf = (time: number): string => monthOf(time).slice(0, 3)

const shortWeekdayOf = (time: number): string => weekdayOf(time).slice(0, 3)

/** `Wed 25 Nov`. */
export const formatDay = (time: number): string =>
  `${shortWeekdayOf(time)} ${new Date(time).getDate()} ${shortMonthOf(time)}`

/** `3 Feb 2025 10:42:07`. */
export const formatMoment = (time: number): string => `${formatDate(time)} ${formatSecond(time)}`

/** `3 Feb 2025`. */
export const formatDate = (time: number): string =>
  `${new Date(time).getDate()} ${shortMonthOf(time)} ${new Date(time).getFullYear()}`

/** Whether a time is on the day of another one, or on one of the six days before or after. */
export const isNearDay = (time: number, now: number): boolean =>
  Math.abs(Math.round((midnightOf(time) - midnightOf(now)) / DAY)) < 7

/**
 * A time as it is read at another one: `15:30` on the same day, `Mon 15:30` on one of the six days before or after, and
 * `Mon 30 Nov 15:30` on any other.
 */
export const formatWhen = (time: number, now: number): string => {
  if (midnightOf(time) === midnightOf(now)) return formatClock(time)
  return `${isNearDay(time, now) ? shortWeekdayOf(time) : formatDay(time)} ${formatClock(time)}`
}

/** `10:00–12:30`, `Sat 22:00–Sun 06:00`, as in blocks. Midnight belongs to the day before. */
export const formatRange = (from: number, to: number): string =>
  midnightOf(from) === midnightOf(to - 1)
    ? `${formatClock(from)}–${formatClock(to)}`
    : `${shortWeekdayOf(from)} ${formatClock(from)}–${formatWhen(to, from)}`

/** `Wednesday 25 November`, with the year where it is not this one. */
export const formatDayTitle = (time: number, now: number): string => {
  const date = new Date(time)
  const year = date.getFullYear() === new Date(now).getFullYear() ? '' : ` ${date.getFullYear()}`
  return `${weekdayOf(time)} ${date.getDate()} ${monthOf(time)}${year}`
}

/** `23 – 29 November`, `30 November – 6 December`; the months by another name if one is given. */
export const formatDates = (from: number, to: number, nameOf = monthOf): string => {
  const isOneMonth = nameOf(from) === nameOf(to)
  return `${new Date(from).getDate()} ${isOneMonth ? '' : `${nameOf(from)} `}– ${new Date(to).getDate()} ${nameOf(to)}`
}

/** `Today`, `Tomorrow`, `Yesterday`, otherwise `Wed 25 Nov`. */
export const formatRelativeDay = (time: number, now: number): string => {
  const day = midnightOf(time)
  if (day === midnightOf(now)) return 'Today'
  if (day === midnightOf(now, 1)) return 'Tomorrow'
  return day === midnightOf(now, -1) ? 'Yesterday' : formatDay(time)
}

/** `Today 14:00 – 16:00`, with the day of the end where it is another one. Midnight belongs to the day before. */
export const formatSpan = (from: number, to: number, now: number): string => {
  const isOneDay = midnightOf(from) === midnightOf(to - 1)
  const end = `${isOneDay ? '' : `${formatRelativeDay(to, now)} `}${formatClock(to)}`
  return `${formatRelativeDay(from, now)} ${formatClock(from)} – ${end}`
}

const shortOffset = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' })

/** `Berlin, UTC+1`. */
export const formatZone = (time: number): string => {
  const name = shortOffset.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const offset = name.replace('GMT', 'UTC').replace(/\+0$/, '').replace('-', '−')
  const city = shortOffset.resolvedOptions().timeZone.split('/').at(-1)?.replaceAll('_', ' ')
  return city === undefined || city === 'UTC' ? offset : `${city}, ${offset}`
}

const formatUnits = (days: number, minutes: number): string => {
  const [hours, rest] = [Math.floor(minutes / 60) - days * 24, minutes % 60]
  const parts = [days > 0 && `${days} d`, hours > 0 && `${formatNumber(hours)} h`, rest > 0 && `${rest} m`]
  return parts.filter((part) => part !== false).join(' ') || '0 m'
}

/** `45 m`, `1 h 30 m`, `24 h`, `1 d 30 m`, `3 d`. */
export const formatDuration = (milliseconds: number): string => {
  const minutes = Math.max(0, Math.floor(milliseconds / MINUTE))
  return formatUnits(minutes > 24 * 60 ? Math.floor(minutes / (24 * 60)) : 0, minutes)
}

/** `112 h 45 m`: hours as quotas count them, without days. */
export const formatHours = (hours: number): string => (hours === 0 ? '0 h' : formatUnits(0, Math.round(hours * 60)))

/** `30 s`, `5 m`, `1 h 30 m`: seconds that somebody has set. */
export const formatSeconds = (seconds: number): string =>
  seconds < 120 || seconds % 60 !== 0 ? `${seconds} s` : formatDuration(seconds * 1_000)

const decimal = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const conjunction = new Intl.ListFormat('en-GB')
const plural = new Intl.PluralRules('en')

/** `2,841`, `14.5`. */
export const formatNumber = (value: number): string => decimal.format(value)

/** `1,306`, or `12 of 1,306`. */
export const formatPart = (part: number, all: number): string =>
  part === all ? formatNumber(all) : `${formatNumber(part)} of ${formatNumber(all)}`

/** `99.8%`. */
export const formatPercent = (share: number): string => percent.format(share)

/** `name, address and port`. */
export const formatList = (items: readonly string[]): string => conjunction.format(items)

/** `1 machine`, `1,000 machines`, `3 entries` where the plural is another one. */
export const formatCount = (count: number, one: string, other = `${one}s`): string =>
  `${formatNumber(count)} ${plural.select(count) === 'one' ? one : other}`

/** `Every Thursday`, as a sentence begins. */
export const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** A text as it is compared: in any case, and in whatever form its characters are written. */
export const fold = (text: string): string => text.normalize('NFKD').toLowerCase().toUpperCase().normalize('NFKC')

/** The order of names: `node-9` before `node-10`. */
export const { compare: compareNames } = new Intl.Collator(undefined, { numeric: true })
