import * as E from 'fp-ts/lib/Either.js'

/**
 * A moment as a client wrote it. Nanoseconds, because an end one nanosecond past a quarter reaches the next one; the
 * offset, because answers give it back.
 */
export interface Instant {
  readonly epochNanoseconds: bigint
  /** Minutes east of UTC, -840 to 840. */
  readonly offset: number
}

/** Minutes: the widest offset in use, Line Islands (+14:00). */
const OFFSET_MAX = 14 * 60

// RFC 3339, section 5.6, less what has no place in a reservation: a blank for T and leap seconds. Date and Temporal alone
// would also take dates without a time, [zone] suffixes and 24:00.
const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?)(?:([Zz])|([+-])([01]\d|2[0-3]):([0-5]\d))$/

const LEAP_YEAR = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)'
const DAY = `(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))|${LEAP_YEAR}-02-29)`
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?'
/** What `parseInstant` takes, in one pattern: for documents, as it cannot say what is wrong. */
export const INSTANT_PATTERN = `^${DAY}[Tt]${TIME}(?:[Zz]|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))$`

/** Reads an RFC 3339 date-time; Left says in one sentence what is wrong with it. */
export const parseInstant = (text: string): E.Either<string, Instant> => {
  const match = RFC_3339.exec(text)
  if (match === null) return E.left(whyNotRfc3339(text))
  const [, date, time, zulu, sign, hours, minutes] = match
  const offset = zulu === undefined ? (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1) : 0
  if (Math.abs(offset) > OFFSET_MAX) return E.left('has an offset beyond 14:00')
  // Read to the second: what is finer a Date would cut off. A day that does not exist runs over into the next month.
  const milliseconds = Date.parse(`${date}T${time?.slice(0, 8)}Z`)
  if (new Date(milliseconds).getUTCDate() !== Number(date?.slice(8))) return E.left('names a day that does not exist')
  const fraction = BigInt((time?.slice(9) ?? '').padEnd(9, '0'))
  const epochNanoseconds = BigInt(milliseconds - offset * 60_000) * 1_000_000n + fraction
  // Minus zero would leave "-00:00" in an answer.
  return E.right({ epochNanoseconds, offset: offset === 0 ? 0 : offset })
}

const whyNotRfc3339 = (text: string): string => {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return 'is a date without a time; write it like 2030-05-02T08:15:00+02:00'
  if (/^\d{4}-\d\d-\d\d[Tt][\d:.]+ \d\d:?\d\d$/.test(text))
    return 'holds a blank for +; write the + as %2B in an address'
  if (/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text))
    return 'has no UTC offset; add Z or an offset like +02:00'
  if (/:60(\.\d+)?([Zz]|[+-])/.test(text)) return 'names a leap second; the last second of a minute is 59'
  return 'must be an RFC 3339 date-time with seconds and an offset, like 2030-05-02T08:15:00+02:00'
}

const two = (n: number): string => (n < 10 ? `0${n}` : `${n}`)

const formatOffset = (offset: number): string => {
  const minutes = Math.abs(offset)
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** `2030-05-02T08:15:00+02:00`: the form of a window's ends. Takes Unix seconds and minutes east of UTC. */
export const formatWithOffset = (epochSeconds: number, offset: number): string =>
  new Date((epochSeconds + offset * 60) * 1000).toISOString().slice(0, -5) + formatOffset(offset)

/** `2030-05-02T05:58:11.400Z`: the form of recorded times and of a reservation's own. Takes Unix milliseconds. */
export const formatMilliseconds = (epochMilliseconds: number): string => new Date(epochMilliseconds).toISOString()

/** `2030-05-02T05:58:11.400+00:00`: the form of a SUT's times. Takes a recorded time. */
export const withNumericOffset = (recordedTime: string): string => recordedTime.replace('Z', '+00:00')

/** `2030-05-02T05:58:11+00:00`: the form of `monitoring.last_updated`. Takes a recorded time. */
export const withoutFraction = (recordedTime: string): string => `${recordedTime.slice(0, 19)}+00:00`

/** Unix milliseconds of a time this module wrote (ECMAScript's own date-time format, which Date reads exactly). */
export const epochMillisecondsOf = (written: string): number => Date.parse(written)

/** Unix seconds of a window's end this module wrote. */
export const epochSecondsOf = (written: string): number => Date.parse(written) / 1000

/** The offset, in minutes, of a window's end this module wrote. */
export const offsetOf = (written: string): number => {
  const minutes = Number(written.slice(20, 22)) * 60 + Number(written.slice(23, 25))
  return written[19] === '-' ? -minutes : minutes
}
