import { described, instant, opaqueId } from '../../domain/codec/codec.ts'
import type { OffsetTime } from '../../domain/values/instant.ts'
import { asOfParameter } from './as-of.ts'
import { ofHolder, ofPages, paging, span, waitParameter, wholeSpan, withPage } from './lists.ts'
import { apart, inQuery, onlyTrue, type QueryOf, queryOf, type Rule, several, wordsOf } from './query.ts'

/** What reads can add. */
const INCLUDE =
  'What to add, separated by commas: names adds user_name and sut_name, state adds state and planned_end_time, series adds series_id.'

const NOTHING: ReadonlySet<never> = new Set()

export const reservationQuery = queryOf(
  {
    include: described(wordsOf('names', 'state', 'series'), INCLUDE),
    as_of: asOfParameter,
    wait: described(waitParameter, 'Seconds to wait, 0 by default. Not with as_of.'),
  },
  {
    rules: [apart(['wait'], 'as_of')],
    make: ({ include = NOTHING, as_of, wait = 0 }) => ({ include, as_of, wait }),
  },
)
export type ReservationQuery = QueryOf<typeof reservationQuery>

/** SUTs of which one request reads. */
export const SUTS_MAX = 100

const HELD = ['held_from', 'held_to'] as const
const ofHeldSpan = wholeSpan(...HELD)

const heldRules: readonly Rule[] = [
  apart(HELD, 'held_at'),
  (given) => (given.has('held_at') ? [] : ofHeldSpan(given)),
  apart(['from', 'to', 'current'], 'held_at', ...HELD),
]

/** Without their states, cancelled reservations would look like others. */
const includeRule: Rule = (given) => {
  const words = given.get('include')?.split(',') ?? []
  return words.includes('cancelled') && !words.includes('state')
    ? [inQuery('include', 'cannot have cancelled without state')]
    : []
}

/** A moment, or a half-open span, in which reservations held their SUT. */
const heldOf = (at?: OffsetTime, from?: OffsetTime, to?: OffsetTime) =>
  at === undefined ? from && to && { from, to } : { at }

/** With `current` only reservations that are running; `cancelled` in `include` adds cancelled ones to the list. */
export const reservationsQuery = queryOf(
  {
    ...paging,
    include: described(
      wordsOf('names', 'state', 'series', 'cancelled'),
      `${INCLUDE} With state, cancelled also lists cancelled reservations.`,
    ),
    sut_id: several(opaqueId, 'Only those of these SUTs, up to 100.', SUTS_MAX),
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
  },
  {
    rules: [...ofPages, ...heldRules, includeRule],
    make: ({ sut_id: sut_ids, current = false, held_at, held_from, held_to, include = NOTHING, ...others }) => ({
      ...{ ...withPage(others), sut_ids, current, held: heldOf(held_at, held_from, held_to), include },
    }),
  },
)
export type ReservationsQuery = QueryOf<typeof reservationsQuery>
