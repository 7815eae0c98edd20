import * as E from 'fp-ts/lib/Either.js'
import type { Held } from '../calendar/held.ts'
import { ceilToQuarter } from '../calendar/window.ts'
import type { Decision } from '../decider.ts'
import { bodyProblem, invalid, type Problem } from '../failure.ts'
import { type ExistingSut, formatWindow } from '../sut/state.ts'
import { formatWithOffset, instantAt, isLater, type OffsetTime } from '../values/instant.ts'
import { findUnfinished, isForbidden, type ReservationCommandBase, refuseNotYours, refuseOver } from './rules.ts'

/** Ends a reservation earlier than planned, but later than now. What it frees is free at once. */
export interface ShortenReservation extends ReservationCommandBase {
  readonly type: 'ShortenReservation'
  readonly end: OffsetTime
}

const endProblem = (held: Held, { instant }: OffsetTime, now: number): Problem | undefined => {
  if (!isLater(instant, instantAt(now)))
    return bodyProblem('end_not_later_than_now', 'end_time', 'must be later than now; cancel to end it at once')
  const { start_time, end_time } = formatWindow(held)
  const end = ceilToQuarter(instant)
  if (end > held.end)
    return bodyProblem('end_not_earlier', 'end_time', `must be earlier than the current end, ${end_time}`)
  return end > held.start ? undefined : bodyProblem('window_empty', 'end_time', `must be later than ${start_time}`)
}

export const shorten = (sut: ExistingSut, command: ShortenReservation, now: number): Decision => {
  const { _id, actor, end: asked } = command
  const held = findUnfinished(sut, _id, now)
  const problem = held && endProblem(held, asked, now)
  if (problem !== undefined) return E.left(invalid([problem]))
  if (isForbidden(actor, (held ?? command).user_id)) return refuseNotYours()
  if (held === undefined) return refuseOver(command)
  const end = ceilToQuarter(asked.instant)
  if (end === held.end) return E.right([])
  const data = { _id, sut_id: sut._id, user_id: held.user_id, end_time: formatWithOffset(end, asked.offset) }
  return E.right([{ type: 'ReservationShortened', data }])
}
