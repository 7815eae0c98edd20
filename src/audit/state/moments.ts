/** Parses times as events write them. Stricter than `Date.parse`: each time has exactly one spelling. */

const parseDigits = (text: string, from: number, to: number): number => {
  let number = 0
  for (let at = from; at < to; at++) number = number * 10 + text.charCodeAt(at) - 48
  return number
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** Days of the year before each month. */
const DAYS_BEFORE = DAYS.map((_, month) => DAYS.slice(0, month).reduce((sum, days) => sum + days, 0))

/** Unix seconds of `2030-05-02T08:15:00` as UTC; NaN for a time that does not exist. The format is already checked. */
const secondsOf = (text: string): number => {
  const [year, month, day] = [parseDigits(text, 0, 4), parseDigits(text, 5, 7), parseDigits(text, 8, 10)]
  const [hour, minute, second] = [parseDigits(text, 11, 13), parseDigits(text, 14, 16), parseDigits(text, 17, 19)]
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const last = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)
  if (day < 1 || day > last || hour > 23 || minute > 59 || second > 59) return Number.NaN
  const past = year - 1
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
  const dayOfYear = (DAYS_BEFORE[month - 1] as number) + day + (isLeap && month > 2 ? 1 : 0)
  // 719163 days from 0001-01-01 to 1970-01-01.
  return ((past * 365 + leapDays + dayOfYear - 719_163) * 24 + hour) * 3_600 + minute * 60 + second
}

/** Unix milliseconds of a recorded time; NaN if it is invalid. */
export const millisecondsIn = (time: string): number => secondsOf(time) * 1_000 + parseDigits(time, 20, 23)

/** UTC offset of a window's end in minutes; NaN if it is invalid. */
export const offsetIn = (end: string): number => {
  const [hours, minutes] = [parseDigits(end, 20, 22), parseDigits(end, 23, 25)]
  const offset = 60 * hours + minutes
  if (minutes > 59 || offset > 840) return Number.NaN
  if (end.charCodeAt(19) !== 45) return offset
  // -00:00 is never written.
  return offset === 0 ? Number.NaN : -offset
}

/** Unix seconds of a window's end; NaN if it is invalid. */
export const secondsIn = (end: string): number => secondsOf(end) - 60 * offsetIn(end)
