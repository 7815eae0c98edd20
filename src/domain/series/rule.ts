import * as E from 'fp-ts/lib/Either.js'
import { floorMillisecond, parseOffsetTime } from '../values/instant.ts'

/**
 * A checked value of RRULE (RFC 5545, section 3.3.10). The check comes before any library sees the text, because
 * libraries drop parts that they do not know and values that are out of range.
 */
export interface RecurrenceRule {
  /** All parts but COUNT and UNTIL, in upper case. */
  readonly parts: string
  readonly count: number | undefined
  /** UNTIL in Unix milliseconds. Occurrences at it are included. */
  readonly until: number | undefined
}

export const RULE_LENGTH_MAX = 512
/** Reservations of a series. */
export const OCCURRENCES_MIN = 2
export const OCCURRENCES_MAX = 366

/** RFC 5545 has no limit. Dates of larger steps are beyond every horizon, and beyond what libraries can represent. */
const INTERVAL_MAX = 10_000

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']
const WEEKDAYS = 'MO|TU|WE|TH|FR|SA|SU'

/** Checks the value of a part. Undefined if it is valid, else what it must be. */
type Check = (value: string) => string | undefined

const matches =
  (pattern: RegExp, rule: string): Check =>
  (value) =>
    pattern.test(value) ? undefined : rule

const whole =
  (min: number, max: number): Check =>
  (value) =>
    /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`

/** Numbers separated by commas. Signed ones count from the end if negative, and are not 0. */
const numbers = (max: number, isSigned = false): Check => {
  const pattern = isSigned ? /^[+-]?\d{1,3}(?:,[+-]?\d{1,3})*$/ : /^\d{1,2}(?:,\d{1,2})*$/
  const rule = isSigned
    ? `must be numbers from 1 to ${max} or -${max} to -1, separated by commas`
    : `must be numbers from 0 to ${max}, separated by commas`
  const isInRange = (value: number): boolean => Math.abs(value) <= max && !(isSigned && value === 0)
  return (value) => (pattern.test(value) && value.split(',').map(Number).every(isInRange) ? undefined : rule)
}

const months: Check = (value) =>
  /^\d{1,2}(?:,\d{1,2})*$/.test(value) && value.split(',').every((month) => Number(month) >= 1 && Number(month) <= 12)
    ? undefined
    : 'must be numbers from 1 to 12, separated by commas'

const DAYS = new RegExp(`^(?:[+-]?\\d{1,2})?(?:${WEEKDAYS})(?:,(?:[+-]?\\d{1,2})?(?:${WEEKDAYS}))*$`)
const DAYS_RULE = 'must be weekdays such as MO, with a number from 1 to 53 or -53 to -1 before them if need be'

const days: Check = (value) => {
  if (!DAYS.test(value)) return DAYS_RULE
  const ordinals = value.split(',').map((day) => day.slice(0, -2))
  const isInRange = (ordinal: string): boolean => {
    const distance = Math.abs(Number(ordinal))
    return ordinal === '' || (distance >= 1 && distance <= 53)
  }
  return ordinals.every(isInRange) ? undefined : DAYS_RULE
}

/** `20300502T061500Z` in Unix milliseconds; undefined if there is no such moment. */
const momentOf = (value: string): number | undefined => {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(value) ?? []
  if (year === undefined) return undefined
  const read = parseOffsetTime(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return E.isRight(read) ? floorMillisecond(read.right.instant) : undefined
}

const checks: Readonly<Record<string, Check>> = {
  FREQ: (value) => (FREQUENCIES.includes(value) ? undefined : `must be ${FREQUENCIES.join(', ')}`),
  INTERVAL: whole(1, INTERVAL_MAX),
  COUNT: whole(OCCURRENCES_MIN, OCCURRENCES_MAX),
  UNTIL: (value) => (momentOf(value) === undefined ? 'must be a moment in UTC like 20300502T061500Z' : undefined),
  BYSECOND: numbers(59),
  BYMINUTE: numbers(59),
  BYHOUR: numbers(23),
  BYDAY: days,
  BYMONTHDAY: numbers(31, true),
  BYYEARDAY: numbers(366, true),
  BYWEEKNO: numbers(53, true),
  BYMONTH: months,
  BYSETPOS: numbers(366, true),
  WKST: matches(new RegExp(`^(?:${WEEKDAYS})$`), 'must be a weekday such as MO'),
}

type Parts = ReadonlyMap<string, string>

/** What RFC 5545 forbids between parts. */
const combinationProblem = (parts: Parts): string | undefined => {
  const freq = parts.get('FREQ')
  if (freq === undefined) return 'must have FREQ'
  const needs = (part: string, ...frequencies: readonly string[]): string | undefined =>
    parts.has(part) && !frequencies.includes(freq) ? `cannot have ${part} with FREQ=${freq}` : undefined
  const isNumbered = /\d/.test(parts.get('BYDAY') ?? '')
  const isAlone = ![...parts.keys()].some((name) => name.startsWith('BY') && name !== 'BYSETPOS')
  return (
    (parts.has('COUNT') && parts.has('UNTIL') ? 'cannot have both COUNT and UNTIL' : undefined) ??
    needs('BYWEEKNO', 'YEARLY') ??
    needs('BYYEARDAY', 'YEARLY') ??
    needs('BYMONTHDAY', 'DAILY', 'MONTHLY', 'YEARLY') ??
    (isNumbered && freq !== 'MONTHLY' && freq !== 'YEARLY'
      ? `cannot have a number in BYDAY with FREQ=${freq}`
      : undefined) ??
    (isNumbered && parts.has('BYWEEKNO') ? 'cannot have a number in BYDAY with BYWEEKNO' : undefined) ??
    (parts.has('BYSETPOS') && isAlone ? 'cannot have BYSETPOS without another part that begins with BY' : undefined)
  )
}

/** Splits and checks the parts, each by itself. */
const readParts = (text: string): E.Either<string, Parts> => {
  const parts = new Map<string, string>()
  for (const part of text.toUpperCase().split(';')) {
    const [name = '', value, ...more] = part.split('=')
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (name === 'RSCALE' || name === 'SKIP') return E.left(`cannot have ${name}`)
    if (check === undefined || value === undefined || more.length > 0)
      return E.left('must be the value of an RRULE alone, like FREQ=WEEKLY;COUNT=10')
    if (parts.has(name)) return E.left(`has ${name} twice`)
    const rule = check(value)
    if (rule !== undefined) return E.left(`has a wrong ${name}: it ${rule}`)
    parts.set(name, value)
  }
  return E.right(parts)
}

/** Left describes the problem in one sentence, without its subject. */
export const parseRule = (text: string): E.Either<string, RecurrenceRule> => {
  if (text.length > RULE_LENGTH_MAX) return E.left(`must have at most ${RULE_LENGTH_MAX} characters`)
  const read = readParts(text)
  if (E.isLeft(read)) return read
  const problem = combinationProblem(read.right)
  if (problem !== undefined) return E.left(problem)
  const [count, until] = [read.right.get('COUNT'), read.right.get('UNTIL')]
  const others = [...read.right].filter(([name]) => name !== 'COUNT' && name !== 'UNTIL')
  return E.right({
    parts: others.map(([name, value]) => `${name}=${value}`).join(';'),
    count: count === undefined ? undefined : Number(count),
    until: until === undefined ? undefined : momentOf(until),
  })
}
