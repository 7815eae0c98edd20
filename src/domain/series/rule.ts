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

const listed =
  (pattern: RegExp, min: number, max: number, range: string): Check =>
  (value) => {
    const isInRange = (text: string): boolean => Math.abs(Number(text)) >= min && Math.abs(Number(text)) <= max
    return pattern.test(value) && value.split(',').every(isInRange)
      ? undefined
      : `must be numbers from ${range}, separated by commas`
  }

const numbers = (min: number, max: number): Check => listed(/^\d{1,2}(?:,\d{1,2})*$/, min, max, `${min} to ${max}`)

/** Negative ones count from the end. */
const signed = (max: number): Check =>
  listed(/^[+-]?\d{1,3}(?:,[+-]?\d{1,3})*$/, 1, max, `1 to ${max} or -${max} to -1`)

const WEEKDAY = '(?:MO|TU|WE|TH|FR|SA|SU)'
const DAY = `(?:[+-]?(?:0?[1-9]|[1-4]\\d|5[0-3]))?${WEEKDAY}`

/** `20300502T061500Z` in Unix milliseconds; undefined if there is no such moment. */
const momentOf = (value: string): number | undefined => {
  const written = value.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3T$4:$5:$6')
  const read = parseOffsetTime(written)
  return written !== value && E.isRight(read) ? floorMillisecond(read.right.instant) : undefined
}

const checks: Readonly<Record<string, Check>> = {
  FREQ: matches(/^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/, 'must be DAILY, WEEKLY, MONTHLY, YEARLY'),
  INTERVAL: whole(1, INTERVAL_MAX),
  COUNT: whole(OCCURRENCES_MIN, OCCURRENCES_MAX),
  UNTIL: (value) => (momentOf(value) === undefined ? 'must be a moment in UTC like 20300502T061500Z' : undefined),
  BYSECOND: numbers(0, 59),
  BYMINUTE: numbers(0, 59),
  BYHOUR: numbers(0, 23),
  BYDAY: matches(
    new RegExp(`^${DAY}(?:,${DAY})*$`),
    'must be weekdays such as MO, with a number from 1 to 53 or -53 to -1 before them if need be',
  ),
  BYMONTHDAY: signed(31),
  BYYEARDAY: signed(366),
  BYWEEKNO: signed(53),
  BYMONTH: numbers(1, 12),
  BYSETPOS: signed(366),
  WKST: matches(new RegExp(`^${WEEKDAY}$`), 'must be a weekday such as MO'),
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
