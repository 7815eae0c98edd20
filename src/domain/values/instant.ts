import * as E from 'fp-ts/lib/Either.js'
import type { UnixMilliseconds } from './units.ts'

/**
 * A moment to the nanosecond: an end one nanosecond past a quarter-hour reaches the next one. Two numbers, because a
 * create has four of them, and a Temporal.Instant each and its BigInts took 7 to 14 us of its 150.
 */
export interface Instant {
  /** Whole Unix seconds at or before it. */
  readonly seconds: number
  /** After that second, 0 to 999,999,999. */
  readonly nanoseconds: number
}

/** A moment as the client wrote it. The offset, because responses return it. */
export interface OffsetTime {
  readonly instant: Instant
  /** Minutes east of UTC, -840 to 840. */
  readonly offset: number
}

/** Minutes: the largest offset in use, Line Islands (+14:00). */
const OFFSET_MAX = 14 * 60

// RFC 3339, section 5.6, except a space for T and leap seconds. Date and Temporal also accept dates without a time,
// [zone] suffixes and 24:00.
const RFC_3339 =
  /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const LEAP_YEAR = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
const DAY = `(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|${LEAP_YEAR}-02-29)`
const EXISTING_DAY = new RegExp(`^${DAY}`)
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?'
/** The syntax `parseOffsetTime` accepts as a single pattern, for the documents. A pattern cannot report what is wrong. */
export const INSTANT_PATTERN = `^${DAY}[Tt]${TIME}(?:[Zz]|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))$`

// Each create formats a dozen times, and folds read what was formatted. Fixed digit positions make this ten times as fast
// as Temporal.

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar (Howard Hinnant's `days_from_civil`). */
const daysFromCivil = (year: number, month: number, day: number): number => {
  const marchYear = month > 2 ? year : year - 1
  const century = Math.floor(marchYear / 100)
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return 365 * marchYear + Math.floor(marchYear / 4) - century + Math.floor(century / 4) + dayOfYear - 719_468
}

const twoDigits = (text: string, at: number): number => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
const yearIn = (text: string): number => twoDigits(text, 0) * 100 + twoDigits(text, 2)

/** Unix seconds of `2030-05-02T08:15:00` as UTC. Ignores the rest of the text. */
const secondsIn = (text: string): number =>
  daysFromCivil(yearIn(text), twoDigits(text, 5), twoDigits(text, 8)) * 86_400 +
  twoDigits(text, 11) * 3_600 +
  twoDigits(text, 14) * 60 +
  twoDigits(text, 17)

/** Minutes of an offset like `-03:30`. */
const minutesIn = (text: string, at: number): number => {
  const minutes = twoDigits(text, at + 1) * 60 + twoDigits(text, at + 4)
  // Minus zero would print as "-00:00".
  return text[at] === '-' && minutes > 0 ? -minutes : minutes
}

export const instantAt = (milliseconds: UnixMilliseconds): Instant => {
  const seconds = Math.floor(milliseconds / 1_000)
  return { seconds, nanoseconds: (milliseconds - seconds * 1_000) * 1_000_000 }
}

/** Unix seconds at or before a moment, or at or after it. */
export const floorSecond = ({ seconds }: Instant): number => seconds
export const ceilSecond = ({ seconds, nanoseconds }: Instant): number => (nanoseconds > 0 ? seconds + 1 : seconds)

/** Unix milliseconds at or before a moment, or at or after it: recorded times are no finer. */
export const floorMillisecond = ({ seconds, nanoseconds }: Instant): number =>
  seconds * 1_000 + Math.floor(nanoseconds / 1_000_000)
export const ceilMillisecond = ({ seconds, nanoseconds }: Instant): number =>
  seconds * 1_000 + Math.ceil(nanoseconds / 1_000_000)

export const addSeconds = ({ seconds, nanoseconds }: Instant, more: number): Instant => ({
  seconds: seconds + more,
  nanoseconds,
})

/** Whether a moment is later than another by more than so many milliseconds. */
export const isLater = (a: Instant, b: Instant, by = 0): boolean => {
  const limit = instantAt(floorMillisecond(b) + by)
  const ahead = a.seconds - limit.seconds
  return ahead > 0 || (ahead === 0 && a.nanoseconds > limit.nanoseconds + (b.nanoseconds % 1_000_000))
}

/** Parses an RFC 3339 date-time. Left describes the problem in one sentence. */
export const parseOffsetTime = (text: string): E.Either<string, OffsetTime> => {
  if (!RFC_3339.test(text)) return E.left(explainNotRfc3339(text))
  const isUtc = text.at(-1) === 'Z' || text.at(-1) === 'z'
  const offset = isUtc ? 0 : minutesIn(text, text.length - 6)
  if (Math.abs(offset) > OFFSET_MAX) return E.left('must have an offset within 14:00')
  if (!EXISTING_DAY.test(text)) return E.left('is not an existing date')
  const fraction = text.slice(20, isUtc ? -1 : -6)
  const nanoseconds = fraction === '' ? 0 : Number(fraction.padEnd(9, '0'))
  return E.right({ instant: { seconds: secondsIn(text) - offset * 60, nanoseconds }, offset })
}

const NOT_RFC_3339 = 'must be an RFC 3339 date-time with seconds and an offset, like 2030-05-02T08:15:00+02:00'
/** Characters in a date-time, allowing for a fraction three times the maximum. */
const LENGTH_MAX = 64

const explainNotRfc3339 = (text: string): string => {
  if (text.length > LENGTH_MAX) return NOT_RFC_3339
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return 'is a date without a time; write it like 2030-05-02T08:15:00+02:00'
  if (/^\d{4}-\d\d-\d\d[Tt][\d:.]+ \d\d:?\d\d$/.test(text)) return 'cannot contain a space; write + as %2B in a URL'
  if (/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text))
    return 'must have a UTC offset: add Z or an offset like +02:00'
  if (/:60(\.\d+)?([Zz]|[+-])/.test(text)) return 'cannot be a leap second; the last second of a minute is 59'
  return NOT_RFC_3339
}

const pad2 = (n: number): string => (n < 10 ? `0${n}` : `${n}`)

const formatOffset = (offset: number): string => {
  const minutes = Math.abs(offset)
  return `${offset < 0 ? '-' : '+'}${pad2(Math.floor(minutes / 60))}:${pad2(minutes % 60)}`
}

/** Formats days since 1970-01-01 as `2030-05-02` (`civil_from_days`). */
const formatDay = (days: number): string => {
  const era = Math.floor((days + 719_468) / 146_097)
  const ofEra = days + 719_468 - era * 146_097
  const year = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100))
  const fromMarch = Math.floor((5 * ofYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const day = ofYear - Math.floor((153 * fromMarch + 2) / 5) + 1
  return `${String(year + era * 400 + (month <= 2 ? 1 : 0)).padStart(4, '0')}-${pad2(month)}-${pad2(day)}`
}

/** Formats Unix seconds as `2030-05-02T08:15:00`. */
const formatSeconds = (seconds: number): string => {
  const days = Math.floor(seconds / 86_400)
  const ofDay = seconds - days * 86_400
  const time = `${pad2(Math.floor(ofDay / 3_600))}:${pad2(Math.floor(ofDay / 60) % 60)}:${pad2(ofDay % 60)}`
  return `${formatDay(days)}T${time}`
}

/** Formats a window's end like `2030-05-02T08:15:00+02:00`. Takes Unix seconds and minutes east of UTC. */
export const formatWithOffset = (epochSeconds: number, offset: number): string =>
  formatSeconds(epochSeconds + offset * 60) + formatOffset(offset)

/** Formats a recorded time, or a reservation's, like `2030-05-02T05:58:11.400Z`. Takes Unix milliseconds. */
export const formatMilliseconds = (epochMilliseconds: number): string => {
  const seconds = Math.floor(epochMilliseconds / 1000)
  return `${formatSeconds(seconds)}.${String(epochMilliseconds - seconds * 1000).padStart(3, '0')}Z`
}

/** Formats a SUT's times like `2030-05-02T05:58:11.400+00:00`. Takes a recorded time. */
export const withNumericOffset = (recordedTime: string): string => recordedTime.replace('Z', '+00:00')

/** Formats `monitoring.last_updated` like `2030-05-02T05:58:11+00:00`. Takes a recorded time. */
export const withoutFraction = (recordedTime: string): string => `${recordedTime.slice(0, 19)}+00:00`

export const epochMillisecondsOf = (recordedTime: string): UnixMilliseconds =>
  secondsIn(recordedTime) * 1000 + (recordedTime.charCodeAt(20) - 48) * 100 + twoDigits(recordedTime, 21)

/** Unix seconds of a window's end formatted by this module. */
export const epochSecondsOf = (written: string): number => secondsIn(written) - minutesIn(written, 19) * 60

/** UTC offset, in minutes, of a window's end formatted by this module. */
export const offsetOf = (written: string): number => minutesIn(written, 19)
