import * as E from 'fp-ts/lib/Either.js'
import { findOverlapping } from '../calendar/calendar.ts'
import { endDue, type Held, startDue } from '../calendar/held.ts'
import type { Decision } from '../decider.ts'
import type { Event } from '../event.ts'
import { type SutState, UNRECORDED_MAX } from '../sut/state.ts'
import { formatMilliseconds } from '../values/instant.ts'

/**
 * Records the earliest start or end of a SUT's reservations that is due and not recorded yet. Each takes a command of
 * its own, in order. `[]` means that nothing is due.
 */
export interface AdvanceSchedule {
  readonly type: 'AdvanceSchedule'
  readonly sut_id: string
  /** Unix milliseconds: what was due earlier is never recorded (see ScheduleBegan). */
  readonly from: number
}

const toEvent = (type: 'ReservationStarted' | 'ReservationEnded', sut_id: string, held: Held): Event => {
  const due = formatMilliseconds(type === 'ReservationStarted' ? startDue(held) : endDue(held))
  return { type, data: { _id: held._id, due, sut_id, user_id: held.user_id } }
}

export const advance = ({ windows }: SutState, { sut_id, from }: AdvanceSchedule, now: number): Decision => {
  const since = Math.max((from - 1) / 1000, now / 1000 - UNRECORDED_MAX)
  const ofNow = { start: since, end: now / 1000 + 1 }
  for (const held of findOverlapping(windows, ofNow, Number.POSITIVE_INFINITY)) {
    if (startDue(held) > now) break
    if (!held.started && startDue(held) >= from) return E.right([toEvent('ReservationStarted', sut_id, held)])
    if (endDue(held) <= now) return E.right([toEvent('ReservationEnded', sut_id, held)])
  }
  return E.right([])
}
