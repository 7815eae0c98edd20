import * as E from 'fp-ts/lib/Either.js'
import type { Reservation, SeriesMember } from '../../../projections/reservation.ts'
import type { Sut } from '../../../projections/sut.ts'
import { failure } from '../../domain/failure.ts'
import { epochSecondsOf } from '../../domain/values/instant.ts'
import type { Details } from '../../read-models/lists/lists.ts'
import type { Version } from '../../read-models/tables/version.ts'
import type { ReservationQuery } from '../codecs/reservations.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import { keepaliveOf, makeKeptResponse } from '../response/keepalive.ts'
import { documentResponse } from '../response/objects.ts'
import { withMembers } from '../response/reservation-members.ts'
import { findNewest, type ScopedUser, visibleTo } from '../response/visibility.ts'
import type { AsOfReads } from './as-of-reads.ts'
import type { Parts } from './parts.ts'

export interface ReservationReadDependencies extends Pick<Parts, 'objects' | 'nameOf' | 'views' | 'runner' | 'clock'> {
  readonly asOf: AsOfReads
}

type ReservationCall = Call<unknown, ReservationQuery>

/** Reads what a list reads from rows. */
const detailsOf = async (
  { objects, views }: Pick<Parts, 'objects' | 'views'>,
  { id, revision, document, ended }: Version,
  user: ScopedUser,
): Promise<E.Either<Refusal, Details>> => {
  const { sut_id, start_time, end_time } = JSON.parse(document) as Reservation
  const sut = await visibleTo(objects, user).newest('sut', sut_id)
  if (E.isLeft(sut)) return sut
  const member = views.newest('series_member', id)
  const before = ended === 'released' ? objects.asOf('reservation', id, revision - 1) : undefined
  return E.right({
    ended,
    start: epochSecondsOf(start_time),
    end: epochSecondsOf(end_time),
    plannedEnd: before === undefined ? null : (JSON.parse(before.document) as Reservation).end_time,
    sutName: sut.right === undefined ? null : (JSON.parse(sut.right.document) as Sut).name,
    seriesId: member === undefined ? null : (JSON.parse(member.document) as SeriesMember).series_id,
  })
}

/** Reads one reservation, now or as of a past moment. */
export const makeReservationRead = (dependencies: ReservationReadDependencies) => {
  const { objects, asOf, nameOf, views, runner, clock } = dependencies
  const keptResponse = makeKeptResponse({ runner, clock })
  const show = async (version: Version, { query, user }: ReservationCall): RouteResult => {
    const { include, as_of } = query
    const isKept = as_of === undefined && keepaliveOf(views, version.id) !== undefined
    const response = isKept ? await keptResponse(version) : documentResponse('reservation', version, false)
    if (include.size === 0) return E.right(response)
    const details = await detailsOf(dependencies, version, user)
    if (E.isLeft(details)) return details
    const now = as_of === undefined ? clock() : await asOf.timeOf(as_of)
    return E.right({ ...response, body: withMembers(version.document, details.right, include, now, nameOf) })
  }
  const newest = async (call: ReservationCall): RouteResult => {
    const found = await findNewest(visibleTo(objects, call.user), 'reservation', call.params.id)
    if (E.isLeft(found)) return found
    const version = found.right
    if (version.ended === 'cancelled') {
      return E.left(
        failure('reservation_cancelled', 'The reservation has been cancelled. Its history remains available.'),
      )
    }
    return show(version, call)
  }
  return (call: ReservationCall): RouteResult => asOf.readOr('reservation', call, newest, show)
}
