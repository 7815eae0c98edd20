import { QUARTER } from '../../domain/calendar/window.ts'
import type { DataOf } from '../../domain/event.ts'
import { hexAt } from './ids.ts'
import type { AuditedReservation, AuditedSut, Report } from './state.ts'

const word = (number: number): string => number.toString(16).padStart(8, '0')

export const formatId = ({ high, middle, low }: AuditedReservation): string => word(high) + word(middle) + word(low)

/** Number of windows that start before a moment. */
export const countBefore = (windows: readonly AuditedReservation[], moment: number): number => {
  let [low, high] = [0, windows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((windows[middle] as AuditedReservation).start < moment) low = middle + 1
    else high = middle
  }
  return low
}

/** Released windows to keep after their quarter-hour: a clock that was ahead may return to it. */
const RELEASED_MIN = 8

/** Seconds an ended window is kept for the record of its end. */
export const UNRECORDED_MAX = 31 * 86_400

/** Drops windows that ended long before a time, in Unix milliseconds. */
export const dropEndedWindows = (sut: AuditedSut, time: number, unrecordedMax: number): void => {
  const { windows, released } = sut
  let over = 0
  const moment = time / 1_000 - unrecordedMax
  while (over < windows.length && (windows[over] as AuditedReservation).end <= moment) over++
  if (over > 0) windows.splice(0, over)
  if (released.length <= RELEASED_MIN) return
  const quarter = time / 1_000 - ((time / 1_000) % QUARTER)
  sut.released = released.filter(({ end }) => end > quarter)
}

/** Index of the reservation an event is about. Its end must not have been recorded. */
export const findPlace = (
  { windows }: AuditedSut,
  { _id, user_id }: DataOf<'ReservationCancelled'>,
  report: Report,
): number => {
  const [high, middle, low] = [hexAt(_id, 0, 8), hexAt(_id, 8, 16), hexAt(_id, 16, 24)]
  const place = windows.findIndex((held) => held.low === low && held.middle === middle && held.high === high)
  const held = windows[place]
  if (held === undefined) report(`refers to the reservation ${_id}, which is not current`)
  else if (held.user_id !== user_id) report(`names ${user_id} as the owner of another user's reservation`)
  return place
}
