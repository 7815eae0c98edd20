import * as E from 'fp-ts/lib/Either.js'
import { type Quota, quotaFields, type Role } from '../events/user.ts'
import { bodyProblem } from '../failure.ts'
import { parsePairs } from './pairs.ts'

/** Some limits, such as those that change; null is no limit. */
export type QuotaChange = Partial<Quota>

/** The quota of testers without one of their own, unless BERTH_QUOTA_DEFAULT says otherwise. */
export const QUOTA_DEFAULT: Quota = { hours_per_week: null, reservations_max: 100, priority_max: 0 }

/** In one order, whatever order the event had: a store returns its members sorted. */
export const quotaDocument = ({ hours_per_week, reservations_max, priority_max }: Quota): Quota => ({
  hours_per_week,
  reservations_max,
  priority_max,
})

export const changeQuota = (quota: Quota, change: QuotaChange): Quota => ({ ...quotaDocument(quota), ...change })

export interface QuotaFields {
  /** The limits to set; null for the service's default. */
  readonly quota?: QuotaChange | null | undefined
  /** The service's default. A user without a quota of its own gets the limits that `quota` omits from it. */
  readonly quotaDefault?: Quota
}

/** The quota that a command sets; undefined if it names no limit. */
export const newQuota = (
  { quota, quotaDefault = QUOTA_DEFAULT }: QuotaFields,
  own: Quota | null,
): Quota | null | undefined => {
  if (!quota) return quota
  return Object.keys(quota).length === 0 ? undefined : changeQuota(own ?? quotaDefault, quota)
}

/** Quotas and scopes are for testers. */
export const fieldProblems = (
  role: Role,
  fields: Pick<QuotaFields, 'quota'> & { readonly scope?: string | undefined },
) =>
  (['quota', 'scope'] as const)
    .filter((field) => role !== 'tester' && fields[field])
    .map((field) => bodyProblem('invalid', field, 'is for testers only'))

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
export const formatQuota = (quota: Quota): string =>
  Object.entries(quotaDocument(quota))
    .map(([name, limit]) => `${name}=${limit ?? 'none'}`)
    .join(',')
