import * as E from 'fp-ts/lib/Either.js'
import { type Held, keepaliveDue, startDue } from '../calendar/held.ts'
import type { Decision } from '../decider.ts'
import type { Event } from '../event.ts'
import type { ReleaseCause } from '../events/reservation.ts'
import type { ExistingSut } from '../sut/state.ts'
import { formatWithOffset } from '../values/instant.ts'
import { findUnfinished } from './rules.ts'

/** Releases a running reservation that nobody keeps alive, or through which nobody has connected, if that is due. */
export interface ReleaseUnattended {
  readonly type: 'ReleaseUnattended'
  readonly _id: string
  readonly cause: ReleaseCause
}

/** The release of a running reservation, now in Unix milliseconds. */
export const released = (sut: ExistingSut, held: Held, now: number, cause?: ReleaseCause): Event => {
  const { _id, user_id, start, endOffset } = held
  // A window is never empty, even if released in the millisecond it began.
  const end_time = formatWithOffset(Math.max(Math.ceil(now / 1000), start + 1), endOffset)
  const data = { _id, ...(cause !== undefined && { cause }), end_time, sut_id: sut._id, user_id }
  return { type: 'ReservationReleased', data }
}

/** When a reservation is released unless somebody connects before, in Unix milliseconds; undefined if it is not. */
export const unusedDue = ({ values }: Pick<ExistingSut, 'values'>, held: Held): number | undefined => {
  const { release_unused_after: after } = values
  return after === 0 ? undefined : startDue(held) + after * 1000
}

/** Whether somebody has connected is not known here: sessions have a stream of their own. */
export const releaseUnattended = (sut: ExistingSut, { _id, cause }: ReleaseUnattended, now: number): Decision => {
  const held = findUnfinished(sut, _id, now)
  const due = held && (cause === 'keepalive' ? keepaliveDue(held) : unusedDue(sut, held))
  if (held === undefined || due === undefined || due > now) return E.right([])
  return E.right([released(sut, held, now, cause)])
}
