import type { IdKeys } from '../tables/id-keys.ts'
import { dayOf, type ReservationCounts } from '../tables/reservation-counts.ts'
import { SHORT } from './conditions.ts'
import type { ReservationQuery, Sight } from './lists.ts'
import type { Scopes } from './scope.ts'

export type Index = 'reservation_by_sut' | 'reservation_by_user' | 'reservation_by_end' | 'reservation_cancelled'

/** An index, and about how many of its entries a query reads. */
export interface AccessPath {
  readonly index: Index
  readonly entries: number
}

/** A query with surrogate keys for ids. */
export interface KeyedQuery extends Omit<ReservationQuery, 'sut_id' | 'user_id' | 'sight'> {
  readonly sut?: number | undefined
  readonly user?: number | undefined
  /** `own` is undefined for a user that has no reservations. */
  readonly sight?: { readonly scope: Sight['scope']; readonly own: number | undefined } | undefined
}

/** Reduces sight to a SUT or user where the query names one. Undefined if nothing is in sight. */
const withinSight = (query: KeyedQuery, { scope, user_id }: Sight, names: IdKeys, scopes: Scopes) => {
  const { sut, user } = query
  const own = names.find(user_id)
  if (user !== undefined && user === own) return query
  if (sut === undefined) return { ...query, sight: { scope, own } }
  if (scopes.hasSut(scope, sut)) return query
  return user === undefined && own !== undefined ? { ...query, user: own } : undefined
}

/** Replaces ids by keys; undefined if the SUT or user has no reservations, or none in sight. */
export const withKeys = (
  { sut_id, user_id, sight, ...query }: ReservationQuery,
  names: IdKeys,
  scopes: Scopes,
): KeyedQuery | undefined => {
  const sut = sut_id === undefined ? undefined : names.find(sut_id)
  const user = user_id === undefined ? undefined : names.find(user_id)
  const isUnknown = (sut_id !== undefined && sut === undefined) || (user_id !== undefined && user === undefined)
  if (isUnknown) return undefined
  const keyed = { ...query, sut, user }
  return sight === undefined ? keyed : withinSight(keyed, sight, names, scopes)
}

/** The possible access paths, cheapest first. */
export const accessPaths = (
  { sut, user, endsAfter, startsBefore, isHeld }: KeyedQuery,
  counts: ReservationCounts,
): readonly AccessPath[] => {
  const ways: AccessPath[] = []
  if (sut !== undefined) ways.push({ index: 'reservation_by_sut', entries: counts.of('sut', sut) })
  if (user !== undefined) ways.push({ index: 'reservation_by_user', entries: counts.of('user', user) })
  if (endsAfter !== undefined || startsBefore !== undefined || isHeld) {
    const first = dayOf(endsAfter ?? Number.NEGATIVE_INFINITY)
    const last = dayOf(startsBefore === undefined ? Number.POSITIVE_INFINITY : startsBefore + counts.longest())
    ways.push({ index: 'reservation_by_end', entries: counts.onDays('end_day', first, last) })
  }
  return ways.sort((a, b) => a.entries - b.entries)
}

/** Entries read to count or skip reservations near the ends of a span. */
const entriesNearEnds = ({ endsAfter, startsBefore }: KeyedQuery, counts: ReservationCounts): number => {
  const first = endsAfter === undefined ? 0 : counts.onDays('end_day', dayOf(endsAfter), dayOf(endsAfter))
  if (startsBefore === undefined) return first
  const last = counts.onDays('end_day', dayOf(startsBefore), dayOf(startsBefore + counts.longest()))
  return first + last + counts.onDays('start_day', dayOf(startsBefore), dayOf(startsBefore))
}

/** Reservations whose details can be read within a few milliseconds. */
const DETAILED = 200

/** Whether a list is short enough to read on the main thread. */
export const makeIsShort =
  (names: IdKeys, counts: ReservationCounts, scopes: Scopes) =>
  (query: ReservationQuery): boolean => {
    const asked = withKeys(query, names, scopes)
    if (asked === undefined) return true
    if (asked.offset + asked.limit > SHORT) return false
    if (asked.withDetails && asked.limit > DETAILED) return false
    // No counter says how many were cancelled.
    if (asked.withCancelled) return false
    const [way] = accessPaths(asked, counts)
    if (asked.sight !== undefined) {
      return (way?.entries ?? counts.all()) <= SHORT && scopes.isSmall(asked.sight.scope)
    }
    if (way === undefined || way.entries <= SHORT) return true
    const { sut, user, endsAfter, startsBefore, heldBefore, isHeld } = asked
    const isOfSpan = endsAfter !== undefined || startsBefore !== undefined || isHeld === true
    const holders = [sut, user].filter((holder) => holder !== undefined).length
    if (!isOfSpan) return holders === 1
    return holders === 0 && !isHeld && heldBefore === undefined && entriesNearEnds(asked, counts) <= SHORT
  }
