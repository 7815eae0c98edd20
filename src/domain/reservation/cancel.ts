import * as E from 'fp-ts/lib/Either.js'
import type { Decision } from '../decider.ts'
import { refuse } from '../failure.ts'
import type { ExistingSut } from '../sut/state.ts'
import { released } from './release.ts'
import { findUnfinished, isForbidden, type ReservationCommandBase, refuseNotYours } from './rules.ts'

/** Cancels a future reservation; releases a running one. */
export interface CancelReservation extends ReservationCommandBase {
  readonly type: 'CancelReservation'
}

export const cancel = (sut: ExistingSut, command: CancelReservation, now: number): Decision => {
  const { _id } = command
  const held = findUnfinished(sut, _id, now)
  if (isForbidden(command.actor, (held ?? command).user_id)) return refuseNotYours()
  if (held === undefined) {
    return command.documentStatus === 'made' ? refuse('reservation_over', 'The reservation has ended.') : E.right([])
  }
  if (held.start * 1000 <= now) return E.right([released(sut, held, now)])
  return E.right([{ type: 'ReservationCancelled', data: { _id, sut_id: sut._id, user_id: held.user_id } }])
}
