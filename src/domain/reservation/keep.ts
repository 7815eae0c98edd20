import * as E from 'fp-ts/lib/Either.js'
import { lifeOfReservation, startDue } from '../calendar/held.ts'
import type { Decision } from '../decider.ts'
import { refuse } from '../failure.ts'
import type { ExistingSut } from '../sut/state.ts'
import { keptAgainFrom } from '../values/keepalive.ts'
import { findUnfinished, isForbidden, type ReservationCommandBase, refuseNotYours, refuseOver } from './rules.ts'

/** Keeps a reservation alive that was made with `keepalive`: its time counts anew. */
export interface KeepReservation extends ReservationCommandBase {
  readonly type: 'KeepReservation'
}

/**
 * Recorded only when less than half of the time is left, so that frequent calls cost the log nothing; but the first
 * heartbeat of the holder at once. Connections keep only what has never had one: a program that a killed job has left
 * may stay connected for good.
 */
export const keepReservation = (sut: ExistingSut, command: KeepReservation, now: number): Decision => {
  const { _id } = command
  const held = findUnfinished(sut, _id, now)
  if (isForbidden(command.actor, (held ?? command).user_id)) return refuseNotYours()
  if (held === undefined) return refuseOver(command)
  if (held.keepalive === 0) {
    return refuse('not_kept_alive', 'The reservation was made without keepalive. It lasts until its end.')
  }
  const isHeartbeat = command.actor.role !== 'system'
  if (startDue(held) > now || (held.hasHeartbeats && !isHeartbeat)) return E.right([])
  const isFirst = isHeartbeat && !held.hasHeartbeats
  if (!isFirst && now < keptAgainFrom(lifeOfReservation(held))) return E.right([])
  return E.right([{ type: 'ReservationKept', data: { _id, sut_id: sut._id, user_id: held.user_id } }])
}
