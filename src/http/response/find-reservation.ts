import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Sut } from '../../../projections/sut.ts'
import { failure } from '../../domain/failure.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { User } from '../../users/user.ts'
import type { Code, Refusal } from '../protocol/problem.ts'
import { explainOver } from './over.ts'
import { findNewest, type ObjectReads, visibleTo } from './visibility.ts'

/** A reservation that a user wants to connect to. */
export interface FoundReservation {
  readonly reservation: Reservation
  readonly isReleased: boolean
  readonly sut: Sut
  readonly position: PublicPosition
}

/** What finding one refuses with. */
export const OF_RESERVATION: readonly Code[] = [
  'not_your_reservation',
  'reservation_not_found',
  'reservation_cancelled',
]

/** Finds a reservation that is not cancelled, for those who may use it. */
export const findReservation = async (
  parts: Parameters<typeof explainOver>[0] & { readonly objects: ObjectReads },
  id: string,
  user: Pick<User, '_id' | 'role' | 'scope'>,
  isForAdministrators: boolean,
): Promise<E.Either<Refusal, FoundReservation>> => {
  const { objects } = parts
  const found = await findNewest(visibleTo(objects, user), 'reservation', id)
  if (E.isLeft(found)) return found
  const version = found.right
  const reservation = JSON.parse(version.document) as Reservation
  const isAllowed = reservation.user_id === user._id || (isForAdministrators && user.role === 'administrator')
  if (!isAllowed) return E.left(failure('not_your_reservation', 'Another user holds this reservation.'))
  if (version.ended === 'cancelled') return E.left(await explainOver(parts, version.id, user))
  // The holder connects to it also outside its scope.
  const sut = await objects.newest('sut', reservation.sut_id)
  if (E.isLeft(sut)) return sut
  if (sut.right === undefined) throw new Error('a reservation has no SUT')
  const isReleased = version.ended === 'released'
  return E.right({ reservation, isReleased, sut: JSON.parse(sut.right.document) as Sut, position: version.position })
}
