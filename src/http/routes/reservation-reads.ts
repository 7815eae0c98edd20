import * as E from 'fp-ts/lib/Either.js'
import { invalid } from '../../domain/failure.ts'
import { ceilMillisecond, ceilSecond, floorSecond, isLater } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { CsvList, Details, ListPage, ReservationListQuery as RowsQuery } from '../../read-models/lists/lists.ts'
import type { AsOf } from '../codecs/as-of.ts'
import { inQuery } from '../codecs/query.ts'
import type { HeldSpan, ReservationsQuery } from '../codecs/reservations.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { Call, RouteResponse, RouteResult } from '../protocol/route.ts'
import { CSV } from '../response/csv-lists.ts'
import { withMembers } from '../response/reservation-members.ts'
import type { UserNames } from '../response/user-names.ts'
import { visibilityOf, visibleTo } from '../response/visibility.ts'
import { listResponse, resolveBefore } from './list-response.ts'
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

/** The envelope of a page, with what the query adds to its reservations as of `now`. */
const listed = (query: ReservationsQuery, page: ListPage, now: number, nameOf: UserNames): RouteResponse => {
  const { details } = page
  if (details === undefined) return listResponse('sut_reservations', query, page)
  const documents = page.documents.map((document, n) =>
    withMembers(document, details[n] as Details, query.include, now, nameOf),
  )
  return listResponse('sut_reservations', query, { ...page, documents })
}

const csvListOf = ({ query, user }: ListCall, now: number): CsvList => ({
  of: 'reservation',
  include: query.include,
  now,
  visibility: query.as_of === undefined ? visibilityOf(user) : undefined,
})

const makeListAsOf =
  ({ asOf, nameOf, csv }: ReservationReadsDependencies) =>
  async (call: ListCall, as_of: AsOf, createdBefore: PublicPosition | undefined): RouteResult => {
    const { query, user, mediaType } = call
    const then = await asOf.find(as_of)
    if (E.isLeft(then)) return then
    const { limit, offset, sut_ids, user_id, current, include } = query
    const part = mediaType === CSV ? csv.part : { limit, offset }
    // With as_of, `current` means running at that time, and a state is that of then.
    const now = current || include.has('state') ? await asOf.timeOf(as_of) : 0
    const asked = { ...part, createdBefore, sut_ids, user_id, ...timesOf(query, now), ...additionsFor(query) }
    const page = await asOf.reservations(asked, then.right)
    if (E.isLeft(page)) return page
    const { position } = then.right
    if (mediaType === CSV) return csv.respond(csvListOf(call, now), page.right, position, user._id)
    return E.right({ ...listed(query, page.right, now, nameOf), position })
  }

export const makeReservationReads = (dependencies: ReservationReadsDependencies) => {
  const { objects, nameOf, clock, csv } = dependencies
  const listAsOf = makeListAsOf(dependencies)
  return {
    read: makeReservationRead(dependencies),
    list: async (call: ListCall): RouteResult => {
      const { query, user, mediaType } = call
      const now = clock()
      const refused = csv.refuse(query, mediaType) ?? refuseFuture(query, now)
      if (refused !== undefined) return refused
      const createdBefore = await resolveBefore(visibleTo(objects, user), 'reservation', query.before)
      if (E.isLeft(createdBefore)) return createdBefore
      const { limit, offset, sut_ids, user_id, as_of } = query
      if (as_of !== undefined) return listAsOf(call, as_of, createdBefore.right)
      const part = mediaType === CSV ? csv.part : { limit, offset }
      const page = { ...part, createdBefore: createdBefore.right }
      const filters = { sut_ids, user_id, ...timesOf(query, now), visibility: visibilityOf(user) }
      const answered = await objects.showList('reservations', { ...page, ...filters, ...additionsFor(query) })
      if (E.isLeft(answered)) return answered
      const { listed: found, position } = answered.right
      if (mediaType === CSV) return csv.respond(csvListOf(call, now), found, position, user._id)
      return E.right({ ...listed(query, found, now, nameOf), position })
    },
  }
}

export type ReservationReads = ReturnType<typeof makeReservationReads>
