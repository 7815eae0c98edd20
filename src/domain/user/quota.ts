import * as E from 'fp-ts/lib/Either.js'
import { type Quota, quotaFields } from '../events/user.ts'
import { parsePairs } from './pairs.ts'

/** Some limits, such as those that change; null is no limit. */
export type QuotaChange = Partial<Quota>

/** The quota of testers without one of their own, unless BERTH_QUOTA_DEFAULT says otherwise. */
export const QUOTA_DEFAULT: Quota = { hours_per_week: null, reservations_max: 100, priority_max: 0 }

/** A quota after a change of some of its limits. */
export const changeQuota = ({ hours_per_week, reservations_max, priority_max }: Quota, change: QuotaChange): Quota => ({
  ...{ hours_per_week, reservations_max, priority_max },
  ...change,
})

type Limit = keyof Quota

const LIMITS = Object.keys(quotaFields) as readonly Limit[]
const isLimit = (name: string): name is Limit => LIMITS.includes(name as Limit)

const SYNTAX = 'must be "default", or limits like hours_per_week=40,reservations_max=20,priority_max=none'
/** Longer text than any with each limit once, and with some white space. */
const LENGTH_MAX = 200

const RULES: Readonly<Record<Limit, string>> = {
  hours_per_week: 'a multiple of 0.25 from 0 to 168',
  reservations_max: 'a whole number from 0 to 10,000',
  priority_max: 'a whole number from 0 to 100',
}

const parseNumber = (text: string): number | undefined =>
  /^\d{1,5}(?:\.\d{1,2})?$/.test(text) ? Number(text) : undefined

const parseLimit = (name: string, value: string): E.Either<string, readonly [Limit, number | null]> => {
  if (!isLimit(name)) return E.left(`must consist of ${LIMITS.join(', ')}, some or all`)
  const limit = value === 'none' ? null : parseNumber(value)
  return limit !== undefined && quotaFields[name].is(limit)
    ? E.right([name, limit])
    : E.left(`must have as ${name} ${RULES[name]}, or "none" for no limit`)
}

/**
 * Parses a quota as users write it: `hours_per_week=40,reservations_max=none`, or `default`, which is null. Left
 * completes the sentence "the quota ..." and repeats nothing of it.
 */
export const parseQuota = (text: string): E.Either<string, QuotaChange | null> => {
  if (text.length > LENGTH_MAX) return E.left(SYNTAX)
  if (text.trim() === 'default') return E.right(null)
  const limits = parsePairs(text, parseLimit, { syntax: SYNTAX, twice: 'must have each limit once' })
  return E.map(Object.fromEntries<number | null>)(limits)
}

/** The text of a quota, which `parseQuota` reads. */
export const formatQuota = ({ hours_per_week, reservations_max, priority_max }: Quota): string =>
  Object.entries({ hours_per_week, reservations_max, priority_max })
    .map(([name, limit]) => `${name}=${limit ?? 'none'}`)
    .join(',')
