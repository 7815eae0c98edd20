import * as E from 'fp-ts/lib/Either.js'
import { instant, opaqueId } from '../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../domain/codec/json-schema.ts'
import type { Problem } from '../../domain/failure.ts'
import type { OffsetTime } from '../../domain/values/instant.ts'
import type { ListInclusion } from '../../read-models/lists/lists.ts'
import type { DecodeQuery, Parameters } from '../protocol/route.ts'
import { type AsOfQuery, asOfParameter } from './as-of.ts'
import {
  combineProblems,
  type Paging,
  paging,
  pagingOf,
  problemsBetween,
  spanProblems,
  type TimeSpan,
} from './lists.ts'
import { inQuery, onlyTrue, parametersOf, several, wordsOf } from './query.ts'

const NOTHING: ReadonlySet<never> = new Set()

export interface ReservationQuery extends AsOfQuery {
  readonly include: ReadonlySet<ListInclusion>
}

const ofOne = parametersOf({ include: wordsOf('names', 'state', 'series'), as_of: asOfParameter })

export const reservationQuery: DecodeQuery<ReservationQuery> = (params) =>
  E.map(({ include = NOTHING, as_of }: Partial<ReservationQuery>) => ({ include, as_of }))(ofOne(params))
withSchema(reservationQuery, () => schemaOf(ofOne))

/** A moment, or a half-open span, in which reservations held their SUT. */
export type HeldSpan = { readonly at: OffsetTime } | { readonly from: OffsetTime; readonly to: OffsetTime }

export interface ReservationsQuery extends AsOfQuery, Paging, TimeSpan {
  /** `cancelled` adds not to reservations, but cancelled ones to the list. */
  readonly include: ReadonlySet<ListInclusion | 'cancelled'>
  readonly sut_ids: readonly string[] | undefined
  readonly user_id: string | undefined
  /** Only reservations that are running. */
  readonly current: boolean
  readonly held: HeldSpan | undefined
}

/** SUTs of which one request reads. */
export const SUTS_MAX = 100

/** Parameters that may be repeated. */
export const RESERVATIONS_REPEATABLE = ['sut_id']

const parameters = parametersOf({
  ...paging,
  include: wordsOf('names', 'state', 'series', 'cancelled'),
  sut_id: several(opaqueId, SUTS_MAX),
  user_id: opaqueId,
  from: instant,
  to: instant,
  current: onlyTrue,
  held_at: instant,
  held_from: instant,
  held_to: instant,
  as_of: asOfParameter,
})

const HELD = ['held_at', 'held_from', 'held_to']
/** What selects other times. */
const OTHERS = ['from', 'to', 'current']

const heldProblems = (params: Parameters): readonly Problem[] => {
  const held = HELD.filter((name) => params.has(name))
  const [first] = held
  if (first === undefined) return []
  const beside = OTHERS.filter((name) => params.has(name)).map((name) =>
    inQuery(name, `cannot be combined with ${first}`),
  )
  if (params.has('held_at')) {
    return [...held.slice(1).map((name) => inQuery(name, 'cannot be combined with held_at')), ...beside]
  }
  const alone = held.length === 1
  const [missing] = HELD.slice(1).filter((name) => !params.has(name))
  return [...(alone ? [inQuery(first, `needs ${missing}`)] : spanProblems(params, 'held_from', 'held_to')), ...beside]
}

/** Without their states, cancelled reservations would look like others. */
const includeProblems = (params: Parameters): readonly Problem[] => {
  const words = params.get('include')?.split(',') ?? []
  return words.includes('cancelled') && !words.includes('state')
    ? [inQuery('include', 'cannot have cancelled without state')]
    : []
}

const heldOf = (at?: OffsetTime, from?: OffsetTime, to?: OffsetTime): HeldSpan | undefined => {
  if (at !== undefined) return { at }
  return from === undefined || to === undefined ? undefined : { from, to }
}

const problemsOf = (params: Parameters): readonly Problem[] => [
  ...problemsBetween(params),
  ...heldProblems(params),
  ...includeProblems(params),
]

export const reservationsQuery: DecodeQuery<ReservationsQuery> = (params) =>
  combineProblems(problemsOf(params), parameters(params), (read) => {
    const {
      sut_id: sut_ids,
      user_id,
      from,
      to,
      current = false,
      held_at,
      held_from,
      held_to,
      include = NOTHING,
      as_of,
    } = read
    const held = heldOf(held_at, held_from, held_to)
    return { ...pagingOf(read), sut_ids, user_id, from, to, current, held, include, as_of }
  })
withSchema(reservationsQuery, () => schemaOf(parameters))
