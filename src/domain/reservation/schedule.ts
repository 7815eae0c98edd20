import * as E from 'fp-ts/lib/Either.js'
import { findOverlapping, UNRECORDED_MAX } from '../calendar/calendar.ts'
import { isOver, startDue } from '../calendar/held.ts'
import type { Decision } from '../decider.ts'
import type { SutState } from '../sut/state.ts'
import { formatMilliseconds } from '../values/instant.ts'

/**
 * Records the earliest start or end of a SUT's reservations that is due and not recorded yet. Each takes a command of
 * its own, in order. `[]` means that nothing is due.
 */
export interface AdvanceSchedule {
  readonly sut_id: string
}

export const advance = ({ windows }: SutState, { sut_id }: AdvanceSchedule, now: number): Decision => {
  const recent = { start: now / 1000 - UNRECORDED_MAX, end: now / 1000 + 1 }
  for (const held of findOverlapping(windows, recent, Number.POSITIVE_INFINITY)) {
    if (isOver(held)) continue
    const { _id, user_id, end, recorded } = held
    const start = startDue(held)
    if (start > now) break
    if (recorded === 'nothing')
      return E.right([{ type: 'ReservationStarted', data: { _id, due: formatMilliseconds(start), sut_id, user_id } }])
    if (end * 1000 <= now)
      return E.right([
        { type: 'ReservationEnded', data: { _id, due: formatMilliseconds(end * 1000), sut_id, user_id } },
      ])
  }
  return E.right([])
}
