import type { IdKeys } from '../tables/id-keys.ts'
import type { ReservationListQuery, Visibility } from './lists.ts'
import type { Scopes } from './scope.ts'

export type Index = 'reservation_by_sut' | 'reservation_by_user' | 'reservation_by_end' | 'reservation_cancelled'

/** A query with surrogate keys for ids. */
export interface KeyedQuery extends Omit<ReservationListQuery, 'sut_ids' | 'user_id' | 'visibility'> {
  /** Not empty, and none twice. */
  readonly suts?: readonly number[] | undefined
  readonly user?: number | undefined
  /** `own` is undefined for a user that has no reservations. */
  readonly visibility?: { readonly scope: Visibility['scope']; readonly own: number | undefined } | undefined
}

/** Reduces sight to SUTs or a user where the query names some. Undefined if nothing is in sight. */
const withinSight = (
  query: KeyedQuery,
  { scope, user_id }: Visibility,
  names: IdKeys,
  scopes: Scopes,
): KeyedQuery | undefined => {
  const { suts, user } = query
  const own = names.find(user_id)
  if (user !== undefined && user === own) return query
  if (suts === undefined) return { ...query, visibility: { scope, own } }
  const inScope = suts.filter((sut) => scopes.hasSut(scope, sut))
  if (inScope.length === suts.length) return query
  // Of the others, only its own reservations.
  const isOwnToo = user === undefined && own !== undefined
  if (inScope.length === 0) return isOwnToo ? { ...query, user: own } : undefined
  return isOwnToo ? { ...query, visibility: { scope, own } } : { ...query, suts: inScope }
}

/** Replaces ids by keys; undefined if the SUTs or the user have no reservations, or none in sight. */
export const withKeys = (
  { sut_ids, user_id, visibility, ...query }: ReservationListQuery,
  names: IdKeys,
  scopes: Scopes,
): KeyedQuery | undefined => {
  const suts = sut_ids && [...new Set(sut_ids)].map(names.find).filter((key) => key !== undefined)
  const user = user_id === undefined ? undefined : names.find(user_id)
  if (suts?.length === 0 || (user_id !== undefined && user === undefined)) return undefined
  const keyed = { ...query, suts, user }
  return visibility === undefined ? keyed : withinSight(keyed, visibility, names, scopes)
}

/**
 * The index through which reservations are found; undefined for all of them. Each SUT is looked up in every segment, so
 * several are compared with what ends in a span.
 */
export const indexOf = ({ suts, user, endsAfter, startsBefore, isHeld }: KeyedQuery): Index | undefined => {
  if (suts?.length === 1) return 'reservation_by_sut'
  if (user !== undefined) return 'reservation_by_user'
  if (endsAfter !== undefined || startsBefore !== undefined || isHeld) return 'reservation_by_end'
  return suts && 'reservation_by_sut'
}
