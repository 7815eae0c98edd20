import * as E from 'fp-ts/lib/Either.js'
import { find, type InTheWay } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { formatWindow } from '../calendar/window.ts'
import type { Actor, Decision } from '../decider.ts'
import { type Conflict, type Failure, invalid, type Problem, refuse } from '../failure.ts'
import { type ExistingSut, onSut } from '../sut/state.ts'

/** The steps and refusals that commands about reservations share. */

export const isForbidden = (actor: Actor, user_id: string): boolean => actor.role === 'tester' && actor._id !== user_id
export const refuseNotYours = () =>
  refuse('not_your_reservation', 'Testers can only make and change reservations for their own user_id.')

/** Who takes time of a SUT for whom. */
interface Taking {
  readonly actor: Actor
  readonly user_id: string
  /** Whether the reservation is not to count for the quota of its holder. */
  readonly isBeyondQuota?: boolean
}

/** Refuses who may not reserve for this user, or not beyond its quota. */
export const refuseActor = ({ actor, user_id, isBeyondQuota }: Taking): E.Either<Failure, never> | undefined => {
  if (isForbidden(actor, user_id)) return refuseNotYours()
  if (!isBeyondQuota || actor.role === 'administrator') return undefined
  return refuse('forbidden', 'Only administrators may exceed a quota with beyond_quota.')
}

/**
 * A reservation as its document shows it. While the reservation is in the future or running, the calendar decides its
 * owner and status. Once it is over it is final and nothing more is recorded. The document then only selects the refusal.
 */
export interface ReservationCommandBase extends Taking {
  readonly _id: string
  readonly documentStatus: 'made' | 'released' | 'cancelled'
}

export const findUnfinished = (sut: ExistingSut, _id: string, now: number): Held | undefined => {
  const held = find(sut.windows, _id)
  return held && held.end > now / 1000 ? held : undefined
}

/** Refuses to change a reservation that is over or cancelled. */
const refuseOver = ({ documentStatus }: ReservationCommandBase): Decision =>
  documentStatus === 'cancelled'
    ? refuse('reservation_cancelled', 'The reservation has been cancelled.')
    : refuse('reservation_over', 'The reservation has ended.')

interface OnHeld<C> {
  /** What is wrong with the request by itself, which comes before the question who asks. */
  readonly problemsOf?: (held: Held, command: C, now: number) => readonly Problem[]
  readonly over?: (command: C) => Decision
}

/** A rule for a reservation that is not over, on the command of somebody who may change it. */
export const onHeld = <C extends ReservationCommandBase>(
  rule: (held: Held, command: C, now: number, sut: ExistingSut) => Decision,
  { problemsOf, over = refuseOver }: OnHeld<C> = {},
) =>
  onSut((sut, command: C, now: number): Decision => {
    const held = findUnfinished(sut, command._id, now)
    const problems = (held && problemsOf?.(held, command, now)) ?? []
    if (problems.length > 0) return E.left(invalid(problems))
    const refused = refuseActor({ ...command, user_id: (held ?? command).user_id })
    if (refused !== undefined) return refused
    return held === undefined ? over(command) : rule(held, command, now, sut)
  })

export const toConflict = ({ held, isTurnaround }: InTheWay): Conflict => ({
  _id: held._id,
  user_id: held.user_id,
  ...formatWindow(held),
  ...(isTurnaround && { turnaround: true }),
})
