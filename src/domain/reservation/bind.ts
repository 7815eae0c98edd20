import * as E from 'fp-ts/lib/Either.js'
import type { Decision } from '../decider.ts'
import type { ExistingSut } from '../sut/state.ts'
import { findUnfinished, isForbidden, type ReservationCommandBase, refuseNotYours, refuseOver } from './rules.ts'

/** Binds a reservation to the caller's client address. Only that address may then connect to the SUT. */
export interface BindReservation extends ReservationCommandBase {
  readonly type: 'BindReservation'
  /** The address as a keyed hash under the newest key, as in the event's metadata. */
  readonly client: string
}

export const bindReservation = (sut: ExistingSut, command: BindReservation, now: number): Decision => {
  const { _id, client } = command
  const held = findUnfinished(sut, _id, now)
  if (isForbidden(command.actor, (held ?? command).user_id)) return refuseNotYours()
  if (held === undefined) return refuseOver(command)
  if (held.client === client) return E.right([])
  return E.right([{ type: 'ReservationBound', data: { _id, sut_id: sut._id, user_id: held.user_id } }])
}

/** Ends the binding of a reservation, because its holder has a new password. Its holder can bind it again. */
export interface UnbindReservation {
  readonly type: 'UnbindReservation'
  readonly _id: string
}

export const unbind = (sut: ExistingSut, { _id }: UnbindReservation, now: number): Decision => {
  const held = findUnfinished(sut, _id, now)
  if (held === undefined || held.client === null) return E.right([])
  return E.right([{ type: 'ReservationUnbound', data: { _id, sut_id: sut._id, user_id: held.user_id } }])
}
