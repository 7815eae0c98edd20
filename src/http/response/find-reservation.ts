import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Sut } from '../../../projections/sut.ts'
import { failure, type OverCause, refuse } from '../../domain/failure.ts'
import type { User } from '../../domain/user/user.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Views } from '../../read-models/views.ts'
import type { Code, Refusal } from '../protocol/problem.ts'
import { findVisible, type SightParts, type UserNames } from './visibility.ts'

const SENTENCES: Readonly<Record<OverCause, (name: string) => string>> = {
  ended: () => 'The reservation has ended.',
  released: (name) => `The reservation has been released${name}.`,
  keepalive: () => 'The reservation has been released because nobody kept it alive.',
  unused: () => 'The reservation has been released because nobody connected to the machine.',
  cancelled: (name) => `The reservation has been cancelled${name}.`,
}

interface OverParts {
  readonly views: Pick<Views, 'newest' | 'eventAt'>
  readonly nameOf: UserNames
}

/** Refuses what cannot be done with a reservation that is over or cancelled, and says how it ended. */
export const explainOver = async (
  { views, nameOf }: OverParts,
  id: string,
  reader: Pick<User, '_id' | 'role'>,
): Promise<Refusal> => {
  const version = views.newest('reservation', id)
  const end = version?.ended ?? null
  // The event that ended it before its time.
  const event = version === undefined || end === null ? undefined : await views.eventAt(version.position)
  const ofService = event?.type === 'ReservationReleased' ? event.data.cause : undefined
  const cause = ofService ?? (end === 'released' || end === 'cancelled' ? end : 'ended')
  const { user_id } = JSON.parse(version?.document ?? '{}') as Partial<Reservation>
  // Testers read the history of their own reservations only.
  const mayKnow = reader.role !== 'tester' || reader._id === user_id
  const by = mayKnow && cause !== 'ended' && ofService === undefined ? (event?.metadata.actor ?? null) : null
  const detail = SENTENCES[cause](by === null ? '' : ` by ${nameOf(by)}`)
  const code = cause === 'cancelled' ? 'reservation_cancelled' : 'reservation_over'
  return failure(code, detail, { help: { cause, by } })
}

/** A reservation that a user wants to connect to. */
export interface FoundReservation {
  readonly reservation: Reservation
  readonly isReleased: boolean
  readonly sut: Sut
  readonly position: PublicPosition
}

export const OF_RESERVATION: readonly Code[] = [
  'not_your_reservation',
  'reservation_not_found',
  'reservation_cancelled',
]

/** Finds a reservation that is not cancelled, for those who may use it. */
export const findReservation = async (
  parts: OverParts & SightParts,
  id: string,
  user: Pick<User, '_id' | 'role' | 'scope'>,
  isForAdministrators: boolean,
): Promise<E.Either<Refusal, FoundReservation>> => {
  const { objects } = parts
  const result = await findVisible(parts, user, 'reservation', id)
  if (E.isLeft(result)) return result
  const version = result.right
  const reservation = JSON.parse(version.document) as Reservation
  const isAllowed = reservation.user_id === user._id || (isForAdministrators && user.role === 'administrator')
  if (!isAllowed) return refuse('not_your_reservation', 'Another user holds this reservation.')
  if (version.ended === 'cancelled') return E.left(await explainOver(parts, version.id, user))
  // The holder connects to it also outside its scope.
  const sut = await objects.newest('sut', reservation.sut_id)
  if (E.isLeft(sut)) return sut
  if (sut.right === undefined) throw new Error('a reservation has no SUT')
  const isReleased = version.ended === 'released'
  return E.right({ reservation, isReleased, sut: JSON.parse(sut.right.document) as Sut, position: version.position })
}
