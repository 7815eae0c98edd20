import * as E from 'fp-ts/lib/Either.js'
import type { Lists, ReservationQuery } from '../read-models/lists.ts'
import { behindOf, listing } from './list-answer.ts'
import type { ReservationsQuery } from './list-query.ts'
import type { Objects } from './objects.ts'
import type { Answering, Call } from './route.ts'

export interface ReservationLists {
  readonly list: (call: Call<unknown, ReservationsQuery>) => Answering
}

const NANOSECONDS = 1_000_000_000n

/** The second at or before a moment: what ends later than the moment ends later than this. */
const secondBefore = (epochNanoseconds: bigint): number => {
  const into = epochNanoseconds % NANOSECONDS
  return Number((epochNanoseconds - (into < 0n ? into + NANOSECONDS : into)) / NANOSECONDS)
}

/** The second at or after a moment: what starts earlier than the moment starts earlier than this. */
const secondAfter = (epochNanoseconds: bigint): number => 0 - secondBefore(-epochNanoseconds)

/** What a span and the wish for what runs now (Unix milliseconds) mean for the two ends of a reservation. */
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
  readonly clock: () => number
}

export const makeReservationLists = ({ objects, clock }: ReservationListDependencies): ReservationLists => ({
  list: async ({ query }) => {
    const behind = await behindOf(objects, 'reservation', query.before)
    if (E.isLeft(behind)) return behind
    const { limit, offset, sut_id, user_id } = query
    const read = ({ reservations }: Lists) =>
      reservations({ limit, offset, behind: behind.right, sut_id, user_id, ...timeOf(query, clock()) })
    const answered = await objects.listed(read)
    if (E.isLeft(answered)) return answered
    const { position, listed } = answered.right
    return E.right({ ...listing('sut_reservations', query, listed), position })
  },
})
