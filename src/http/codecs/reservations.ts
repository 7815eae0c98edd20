import { described, instant, opaqueId } from '../../domain/codec/codec.ts'
import type { Problem } from '../../domain/failure.ts'
import type { OffsetTime } from '../../domain/values/instant.ts'
import type { Parameters } from '../protocol/route.ts'
import { asOfParameter } from './as-of.ts'
import { ofHolder, paging, problemsBetween, span, spanProblems, waitParameter, withPage } from './lists.ts'
import { inQuery, onlyTrue, parametersOf, type QueryOf, queryOf, several, wordsOf } from './query.ts'

/** What reads can add. */
const INCLUDE =
  'What to add, separated by commas: names adds user_name and sut_name, state adds state and planned_end_time, series adds series_id.'

const NOTHING: ReadonlySet<never> = new Set()

export const reservationQuery = queryOf(
  parametersOf({
    include: described(wordsOf('names', 'state', 'series'), INCLUDE),
    as_of: asOfParameter,
    wait: described(waitParameter, 'Seconds to wait, 0 by default. Not with as_of.'),
  }),
  ({ include = NOTHING, as_of, wait = 0 }) => ({ include, as_of, wait }),
  (params) => (params.has('wait') && params.has('as_of') ? [inQuery('wait', 'cannot be combined with as_of')] : []),
)
export type ReservationQuery = QueryOf<typeof reservationQuery>

/** A moment, or a half-open span, in which reservations held their SUT. */
export type HeldSpan = { readonly at: OffsetTime } | { readonly from: OffsetTime; readonly to: OffsetTime }

/** SUTs of which one request reads. */
export const SUTS_MAX = 100

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

/** With `current` only reservations that are running; `cancelled` in `include` adds cancelled ones to the list. */
export const reservationsQuery = queryOf(
  parametersOf({
    ...paging,
    include: described(
      wordsOf('names', 'state', 'series', 'cancelled'),
      `${INCLUDE} With state, cancelled also lists cancelled reservations.`,
    ),
    sut_id: described(several(opaqueId, SUTS_MAX), 'Only those of these SUTs, up to 100.'),
    user_id: ofHolder,
    ...span,
    current: described(onlyTrue, 'Only reservations that are running.'),
    held_at: described(
      instant,
      'Only reservations that held their SUT at this time: from their start, or their creation if that was later, to their real end.',
    ),
    held_from: described(instant, 'With held_to: only reservations that held their SUT in this span.'),
    held_to: described(instant, 'The end of that span (exclusive).'),
    as_of: asOfParameter,
  }),
  (read) => {
    const { sut_id: sut_ids, current = false, held_at, held_from, held_to, include = NOTHING, ...others } = read
    return { ...withPage(others), sut_ids, current, held: heldOf(held_at, held_from, held_to), include }
  },
  (params) => [...problemsBetween(params), ...heldProblems(params), ...includeProblems(params)],
)
export type ReservationsQuery = QueryOf<typeof reservationsQuery>
