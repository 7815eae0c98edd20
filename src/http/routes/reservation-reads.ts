import * as E from 'fp-ts/lib/Either.js'
import { invalid } from '../../domain/failure.ts'
import { ceilMillisecond, ceilSecond, floorSecond, isLater } from '../../domain/values/instant.ts'
import type { Details, ListPage, PageQuery, ReservationListQuery as RowsQuery } from '../../read-models/lists/lists.ts'
import type { ListResult } from '../../read-models/long-reads.ts'
import { inQuery } from '../codecs/query.ts'
import type { HeldSpan, ReservationsQuery } from '../codecs/reservations.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { Call } from '../protocol/route.ts'
import { withMembers } from '../response/reservation-members.ts'
import { visibilityOf } from '../response/visibility.ts'
import { makeList } from './list-response.ts'
import type { Parts } from './parts.ts'
import { makeReservationRead, type ReservationReadDependencies } from './reservation-read.ts'

type ListCall = Call<unknown, ReservationsQuery>

export type ReservationReadsDependencies = ReservationReadDependencies & Pick<Parts, 'csv'>

/** Translates a span in which a SUT was held. What holds it at a moment began by then and ends later. */
const heldTimes = (held: HeldSpan): Partial<RowsQuery> => {
  const [first, end] =
    'at' in held ? [held.at.instant, held.at.instant.add({ nanoseconds: 1 })] : [held.from.instant, held.to.instant]
  return {
    endsAfter: floorSecond(first),
    startsBefore: ceilSecond(end),
    heldBefore: ceilMillisecond(end),
  }
}

/** Translates spans and `current` (as of Unix milliseconds) into bounds on a reservation's times. */
const timesOf = ({ from, to, current, held }: ReservationsQuery, now: number): Partial<RowsQuery> => {
  if (held !== undefined) return heldTimes(held)
  const second = Math.floor(now / 1000)
  const after = [...(from ? [floorSecond(from.instant)] : []), ...(current ? [second] : [])]
  const before = [...(to ? [ceilSecond(to.instant)] : []), ...(current ? [second + 1] : [])]
  return {
    ...(after.length > 0 && { endsAfter: Math.max(...after) }),
    ...(before.length > 0 && { startsBefore: Math.min(...before) }),
    isHeld: current,
  }
}

/** Refuses to say what will hold a SUT: reservations that are not over may still change. `now` is in Unix milliseconds. */
const refuseFuture = ({ held, as_of }: ReservationsQuery, now: number): E.Either<Refusal, never> | undefined => {
  if (held === undefined) return undefined
  const [name, latest] = 'at' in held ? ['held_at', held.at] : ['held_to', held.to]
  if (isLater(latest.instant, now)) return E.left(invalid([inQuery(name, 'is in the future')]))
  const isAfterAsOf = as_of !== undefined && 'instant' in as_of && isLater(latest.instant, as_of.instant)
  return isAfterAsOf ? E.left(invalid([inQuery(name, 'is later than as_of')])) : undefined
}

const additionsFor = ({ include, held }: ReservationsQuery): Pick<RowsQuery, 'withCancelled' | 'withDetails'> => ({
  ...(include.size > 0 && { withDetails: true }),
  // What was cancelled never held its SUT.
  ...(include.has('cancelled') && held === undefined && { withCancelled: true }),
})

const makeReservationList = (dependencies: ReservationReadsDependencies) => {
  const { objects, asOf, nameOf, clock } = dependencies

  /** Also returns the time of the states that are shown. */
  const read = async (
    { query, user }: ListCall,
    part: PageQuery,
  ): Promise<{ readonly now: number; readonly read: E.Either<Refusal, ListResult<ListPage>> }> => {
    const { sut_ids, user_id, as_of, current, include } = query
    const asked = { ...part, sut_ids, user_id, ...additionsFor(query) }
    if (as_of === undefined) {
      const [now, visibility] = [clock(), visibilityOf(user)]
      return { now, read: await objects.showList('reservations', { ...asked, ...timesOf(query, now), visibility }) }
    }
    const then = await asOf.find(as_of)
    if (E.isLeft(then)) return { now: 0, read: then }
    // With as_of, `current` means running at that time, and a state is that of then.
    const now = current || include.has('state') ? await asOf.timeOf(as_of) : 0
    return { now, read: await asOf.reservations({ ...asked, ...timesOf(query, now) }, then.right) }
  }

  return makeList<ReservationsQuery>(dependencies, ['reservation', 'sut_reservations'], async (call, part) => {
    const {
      query: { include, as_of },
      user,
    } = call
    const refused = refuseFuture(call.query, clock())
    if (refused !== undefined) return refused
    const { now, read: found } = await read(call, part)
    if (E.isLeft(found)) return found
    const { listed: page, position } = found.right
    const { details } = page
    const show = (document: string, n: number): string =>
      details === undefined ? document : withMembers(document, details[n] as Details, include, now, nameOf)
    const visibility = as_of === undefined ? visibilityOf(user) : undefined
    return E.right({ page, position, csvList: { of: 'reservation', include, now, visibility }, show })
  })
}

export const makeReservationReads = (dependencies: ReservationReadsDependencies) => ({
  read: makeReservationRead(dependencies),
  list: makeReservationList(dependencies),
})

export type ReservationReads = ReturnType<typeof makeReservationReads>
