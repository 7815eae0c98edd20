import * as E from 'fp-ts/lib/Either.js'
import type { Event } from '../event.ts'
import type { Failure } from '../failure.ts'
import type { ExistingSut } from '../sut/refusals.ts'
import { findUnfinished } from './rules.ts'

/** Ends the binding of a reservation, because its holder has a new password. Its holder can bind it again. */
export interface UnbindReservation {
  readonly type: 'UnbindReservation'
  readonly _id: string
}

type Decision = E.Either<Failure, readonly Event[]>

export const unbind = (sut: ExistingSut, { _id }: UnbindReservation, now: number): Decision => {
  const held = findUnfinished(sut, _id, now)
  if (held === undefined || held.client === null) return E.right([])
  return E.right([{ type: 'ReservationUnbound', data: { _id, sut_id: sut._id, user_id: held.user_id } }])
}
