import * as E from 'fp-ts/lib/Either.js'
import { invalid } from '../../domain/failure.ts'
import { ceilTo, floorTo, MILLISECOND, SECOND } from '../../domain/values/instant.ts'
import type { ReservationQuery } from '../../read-models/lists/lists.ts'
import type { AsOf } from '../codecs/as-of.ts'
import { inQuery } from '../codecs/query.ts'
import type { HeldSpan, ReservationsQuery } from '../codecs/reservations.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import type { Objects } from '../response/objects.ts'
import { seenBy, sightOf } from '../response/seen-by.ts'
import type { AsOfReads } from './as-of-reads.ts'
import { listResponse, resolveBefore } from './list-response.ts'

export interface ReservationLists {
  readonly list: (call: Call<unknown, ReservationsQuery>) => RouteResult
}

/** Translates a span in which a SUT was held. What holds it at a moment began by then and ends later. */
const heldTimes = (held: HeldSpan): Partial<ReservationQuery> => {
  const [first, end] =
    'at' in held ? [held.at, { epochNanoseconds: held.at.epochNanoseconds + 1n }] : [held.from, held.to]
  return {
    endsAfter: floorTo(first.epochNanoseconds, SECOND),
    startsBefore: ceilTo(end.epochNanoseconds, SECOND),
    heldBefore: ceilTo(end.epochNanoseconds, MILLISECOND),
  }
}

/** Translates spans and `current` (as of Unix milliseconds) into bounds on a reservation's times. */
const timesOf = ({ from, to, current, held }: ReservationsQuery, now: number): Partial<ReservationQuery> => {
  if (held !== undefined) return heldTimes(held)
  const second = Math.floor(now / 1000)
  const after = [...(from ? [floorTo(from.epochNanoseconds, SECOND)] : []), ...(current ? [second] : [])]
  const before = [...(to ? [ceilTo(to.epochNanoseconds, SECOND)] : []), ...(current ? [second + 1] : [])]
  return {
    ...(after.length > 0 && { endsAfter: Math.max(...after) }),
    ...(before.length > 0 && { startsBefore: Math.min(...before) }),
    isHeld: current,
  }
}

/** Refuses to say what will hold a SUT: reservations that are not over may still change. `now` is in nanoseconds. */
const refuseFuture = ({ held, as_of }: ReservationsQuery, now: bigint): E.Either<Refusal, never> | undefined => {
  if (held === undefined) return undefined
  const [name, latest] = 'at' in held ? ['held_at', held.at] : ['held_to', held.to]
  if (latest.epochNanoseconds > now) return E.left(invalid([inQuery(name, 'is in the future')]))
  const isAfterAsOf =
    as_of !== undefined && 'instant' in as_of && latest.epochNanoseconds > as_of.instant.epochNanoseconds
  return isAfterAsOf ? E.left(invalid([inQuery(name, 'is later than as_of')])) : undefined
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
    const span = timesOf(query, current ? await asOf.timeOf(query.as_of) : 0)
    const listed = await asOf.reservations({ limit, offset, createdBefore, sut_id, user_id, ...span }, then.right)
    if (E.isLeft(listed)) return listed
    return E.right({ ...listResponse('sut_reservations', query, listed.right), position: then.right.position })
  }

export const makeReservationLists = ({ objects, asOf, clock }: ReservationListDependencies): ReservationLists => {
  const listAsOf = makeListAsOf(asOf)
  return {
    list: async ({ query, user }) => {
      const refused = refuseFuture(query, BigInt(clock()) * MILLISECOND)
      if (refused !== undefined) return refused
      const createdBefore = await resolveBefore(seenBy(objects, user), 'reservation', query.before)
      if (E.isLeft(createdBefore)) return createdBefore
      const { limit, offset, sut_id, user_id, as_of } = query
      if (as_of !== undefined) return listAsOf({ ...query, as_of }, createdBefore.right)
      const page = { limit, offset, createdBefore: createdBefore.right }
      const asked = { ...page, sut_id, user_id, ...timesOf(query, clock()), sight: sightOf(user) }
      const answered = await objects.readList('reservations', asked)
      if (E.isLeft(answered)) return answered
      const { position, listed } = answered.right
      return E.right({ ...listResponse('sut_reservations', query, listed), position })
    },
  }
}
