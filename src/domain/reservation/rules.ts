/** The steps and refusals that commands about reservations share. */

import * as E from 'fp-ts/lib/Either.js'
import { find, type InTheWay } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { formatWindow } from '../calendar/window.ts'
import type { Actor, Decision } from '../decider.ts'
import { type Conflict, type Failure, invalid, type Problem, refuse } from '../failure.ts'
import { type ExistingSut, onSut } from '../sut/state.ts'

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
 * A reservation by its id, and its holder as its document shows it. While it is in the future or running, the calendar
 * says who holds it. Once it is over, nothing more is recorded, and the document only decides who may know that.
 */
export interface ReservationCommandBase extends Taking {
  readonly _id: string
}

export const findUnfinished = (sut: ExistingSut, _id: string, now: number): Held | undefined => {
  const held = find(sut.windows, _id)
  return held && held.end > now / 1000 ? held : undefined
}

interface OnHeld<C> {
  /** What is wrong with the request by itself, which comes before the question who asks. */
  readonly problemsOf?: (held: Held, command: C, now: number) => readonly Problem[]
  /** What comes of it once it is over. */
  readonly over?: () => Decision
}

/** A rule for a reservation that is not over, on the command of somebody who may change it. */
export const onHeld = <C extends ReservationCommandBase>(
  rule: (held: Held, command: C, now: number, sut: ExistingSut) => Decision,
  { problemsOf, over = () => refuse('reservation_over', 'The reservation is over.') }: OnHeld<C> = {},
) =>
  onSut((sut, command: C, now: number): Decision => {
    const held = findUnfinished(sut, command._id, now)
    const problems = (held && problemsOf?.(held, command, now)) ?? []
    if (problems.length > 0) return E.left(invalid(problems))
    const refused = refuseActor({ ...command, user_id: (held ?? command).user_id })
    if (refused !== undefined) return refused
    return held === undefined ? over() : rule(held, command, now, sut)
  })

export const toConflict = ({ held, isTurnaround }: InTheWay): Conflict => ({
  _id: held._id,
  user_id: held.user_id,
  ...formatWindow(held),
  ...(isTurnaround && { turnaround: true }),
})
