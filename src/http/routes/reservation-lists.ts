import * as E from 'fp-ts/lib/Either.js'
import type { ReservationQuery } from '../../read-models/lists/lists.ts'
import type { AsOf } from '../codecs/as-of.ts'
import type { ReservationsQuery } from '../codecs/lists.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import type { Objects } from '../response/objects.ts'
import { seenBy, sightOf } from '../response/seen-by.ts'
import type { AsOfReads } from './as-of-reads.ts'
import { listResponse, resolveBefore } from './list-response.ts'

export interface ReservationLists {
  readonly list: (call: Call<unknown, ReservationsQuery>) => RouteResult
}

const NANOSECONDS = 1_000_000_000n

/** Rounds down: what ends after the moment ends after this second. */
const secondBefore = (epochNanoseconds: bigint): number => {
  const into = epochNanoseconds % NANOSECONDS
  return Number((epochNanoseconds - (into < 0n ? into + NANOSECONDS : into)) / NANOSECONDS)
}

/** Rounds up: what starts before the moment starts before this second. */
const secondAfter = (epochNanoseconds: bigint): number => 0 - secondBefore(-epochNanoseconds)

/** Translates a span and `current` (as of Unix milliseconds) into bounds on a reservation's start and end. */
const timeOf = ({ from, to, current }: ReservationsQuery, now: number): Partial<ReservationQuery> => {
  const second = Math.floor(now / 1000)
  const after = [...(from ? [secondBefore(from.epochNanoseconds)] : []), ...(current ? [second] : [])]
  const before = [...(to ? [secondAfter(to.epochNanoseconds)] : []), ...(current ? [second + 1] : [])]
  return {
    ...(after.length > 0 && { endsAfter: Math.max(...after) }),
    ...(before.length > 0 && { startsBefore: Math.min(...before) }),
    isHeld: current,
  }
}

export interface ReservationListDependencies {
  readonly objects: Objects
  readonly asOf: AsOfReads
  readonly clock: () => number
}

const makeListAsOf =
  (asOf: AsOfReads) =>
  async (query: ReservationsQuery & { readonly as_of: AsOf }, createdBefore: number | undefined): RouteResult => {
    const then = await asOf.find(query.as_of)
    if (E.isLeft(then)) return then
    const { limit, offset, sut_id, user_id, current } = query
    // With as_of, `current` means running at that time.
    const span = timeOf(query, current ? await asOf.timeOf(query.as_of) : 0)
    const listed = await asOf.reservations({ limit, offset, createdBefore, sut_id, user_id, ...span }, then.right)
    if (E.isLeft(listed)) return listed
    return E.right({ ...listResponse('sut_reservations', query, listed.right), position: then.right.position })
  }

export const makeReservationLists = ({ objects, asOf, clock }: ReservationListDependencies): ReservationLists => {
  const listAsOf = makeListAsOf(asOf)
  return {
    list: async ({ query, user }) => {
      const createdBefore = await resolveBefore(seenBy(objects, user), 'reservation', query.before)
      if (E.isLeft(createdBefore)) return createdBefore
      const { limit, offset, sut_id, user_id, as_of } = query
      if (as_of !== undefined) return listAsOf({ ...query, as_of }, createdBefore.right)
      const page = { limit, offset, createdBefore: createdBefore.right }
      const asked = { ...page, sut_id, user_id, ...timeOf(query, clock()), sight: sightOf(user) }
      const answered = await objects.readList('reservations', asked)
      if (E.isLeft(answered)) return answered
      const { position, listed } = answered.right
      return E.right({ ...listResponse('sut_reservations', query, listed), position })
    },
  }
}
