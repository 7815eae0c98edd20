import { find } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import type { Actor } from '../decider.ts'
import { type Conflict, refuse } from '../failure.ts'
import type { InTheWay } from '../sut/held.ts'
import { type ExistingSut, formatWindow } from '../sut/state.ts'

/**
 * A reservation as its document shows it. While the reservation is in the future or running, the calendar decides its
 * owner and status. Once it has left the calendar it is final and nothing more is recorded. The document then only
 * selects the refusal.
 */
export interface ReservationCommandBase {
  readonly actor: Actor
  readonly _id: string
  readonly user_id: string
  readonly documentStatus: 'made' | 'released' | 'cancelled'
}

export const findUnfinished = (sut: ExistingSut, _id: string, now: number): Held | undefined => {
  const held = find(sut.windows, _id)
  return held && held.end > now / 1000 ? held : undefined
}

export const isForbidden = (actor: Actor, user_id: string): boolean => actor.role === 'tester' && actor._id !== user_id
export const refuseNotYours = () =>
  refuse('not_your_reservation', 'Testers can only make and change reservations for their own user_id.')

/** Refuses to change a reservation that is over or cancelled. */
export const refuseOver = ({ documentStatus }: Pick<ReservationCommandBase, 'documentStatus'>) =>
  documentStatus === 'cancelled'
    ? refuse('reservation_cancelled', 'The reservation has been cancelled.')
    : refuse('reservation_over', 'The reservation has ended.')

export const toConflict = ({ held, isTurnaround }: InTheWay): Conflict => ({
  _id: held._id,
  user_id: held.user_id,
  ...formatWindow(held),
  ...(isTurnaround && { turnaround: true }),
})
