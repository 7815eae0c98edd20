/** What happens to a reservation that takes no time of its SUT: its client, signs of life, an earlier end. */

import * as E from 'fp-ts/lib/Either.js'
import { findOverlapping, UNRECORDED_MAX } from '../calendar/calendar.ts'
import { type Held, isOver, keepaliveDue, lifeOfReservation, startDue } from '../calendar/held.ts'
import { ceilToQuarter, formatWindow } from '../calendar/window.ts'
import type { Decision } from '../decider.ts'
import type { Event } from '../event.ts'
import type { ReleaseCause } from '../events/reservation.ts'
import { bodyProblem, type Problem, refuse } from '../failure.ts'
import { type ExistingSut, onSut, type SutState } from '../sut/state.ts'
import { formatMilliseconds, formatWithOffset, instantAt, isLater, type OffsetTime } from '../values/instant.ts'
import { keptAgainFrom } from '../values/keepalive.ts'
import { findUnfinished, onHeld, type ReservationCommandBase } from './rules.ts'

/** Binds a reservation to the caller's client address. Only that address may then connect to the SUT. */
export interface BindReservation extends ReservationCommandBase {
  /** The address as a keyed hash under the newest key, as in the event's metadata. */
  readonly client: string
}

export const bindReservation = onHeld<BindReservation>(({ _id, user_id, client }, command, _, { _id: sut_id }) =>
  E.right(client === command.client ? [] : [{ type: 'ReservationBound', data: { _id, sut_id, user_id } }]),
)

interface OfReservation {
  readonly _id: string
}

/** Ends the binding of a reservation, because its holder has a new password. Its holder can bind it again. */
export const unbind = onSut((sut, { _id }: OfReservation, now): Decision => {
  const held = findUnfinished(sut, _id, now)
  if (held === undefined || held.client === null) return E.right([])
  return E.right([{ type: 'ReservationUnbound', data: { _id, sut_id: sut._id, user_id: held.user_id } }])
})

/**
 * Keeps a reservation alive that was made with `keepalive`: its time counts anew. Recorded only when less than half of the time is left, so that frequent calls cost the log nothing; but the first
 * heartbeat of the holder at once. Connections keep only what has never had one: a program that a killed job has left
 * may stay connected for good.
 */
export const keepReservation = onHeld((held, { actor }, now, { _id: sut_id }) => {
  if (held.keepalive === 0)
    return refuse('not_kept_alive', 'The reservation was made without keepalive. It lasts until its end.')
  const isHeartbeat = actor.role !== 'system'
  if (startDue(held) > now || (held.hasHeartbeats && !isHeartbeat)) return E.right([])
  const isFirst = isHeartbeat && !held.hasHeartbeats
  if (!isFirst && now < keptAgainFrom(lifeOfReservation(held))) return E.right([])
  const { _id, user_id } = held
  return E.right([{ type: 'ReservationKept', data: { _id, sut_id, user_id } }])
})

/** Ends a reservation earlier than planned, but later than now. What it frees is free at once. */
export interface ShortenReservation extends ReservationCommandBase {
  readonly end: OffsetTime
}

const endProblems = (held: Held, { end: { instant } }: ShortenReservation, now: number): readonly Problem[] => {
  if (!isLater(instant, instantAt(now)))
    return [bodyProblem('end_not_later_than_now', 'end_time', 'must be later than now; cancel to end it at once')]
  const { start_time, end_time } = formatWindow(held)
  const end = ceilToQuarter(instant)
  if (end > held.end)
    return [bodyProblem('end_not_earlier', 'end_time', `must be earlier than the current end, ${end_time}`)]
  return end > held.start ? [] : [bodyProblem('window_empty', 'end_time', `must be later than ${start_time}`)]
}

export const shorten = onHeld<ShortenReservation>(
  ({ _id, user_id, end: former }, { end: asked }, _, { _id: sut_id }) => {
    const end = ceilToQuarter(asked.instant)
    const data = { _id, sut_id, user_id, end_time: formatWithOffset(end, asked.offset) }
    return E.right(end === former ? [] : [{ type: 'ReservationShortened', data }])
  },
  { problemsOf: endProblems },
)

/** The release of a running reservation, now in Unix milliseconds. */
const released = (sut: ExistingSut, held: Held, now: number, cause?: ReleaseCause): Event => {
  const { _id, user_id, start, endOffset } = held
  // A window is never empty, even if released in the millisecond it began.
  const end_time = formatWithOffset(Math.max(Math.ceil(now / 1000), start + 1), endOffset)
  const data = { _id, ...(cause !== undefined && { cause }), end_time, sut_id: sut._id, user_id }
  return { type: 'ReservationReleased', data }
}

/** Cancels a future reservation; releases a running one. One that is over has nothing left to give back. */
export const cancel = onHeld(
  (held, { _id }, now, sut) => {
    if (held.start * 1000 <= now) return E.right([released(sut, held, now)])
    return E.right([{ type: 'ReservationCancelled', data: { _id, sut_id: sut._id, user_id: held.user_id } }])
  },
  { over: () => E.right([]) },
)

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

/** When a reservation is released unless somebody connects before, in Unix milliseconds; undefined if it is not. */
const unusedDue = ({ values: { release_unused_after: after } }: ExistingSut, held: Held): number | undefined =>
  after === 0 ? undefined : startDue(held) + after * 1000

/**
 * Releases a running reservation that nobody keeps alive, or through which nobody has connected, if that is due. Whether
 * somebody has connected is not known here: sessions have a stream of their own.
 */
export const releaseUnattended = onSut(
  (sut, command: OfReservation & { readonly cause: ReleaseCause }, now): Decision => {
    const { _id, cause } = command
    const held = findUnfinished(sut, _id, now)
    const due = held && (cause === 'keepalive' ? keepaliveDue(held) : unusedDue(sut, held))
    return E.right(held === undefined || due === undefined || due > now ? [] : [released(sut, held, now, cause)])
  },
)
