import { QUARTER } from '../../domain/calendar/window.ts'
import type { DataOf } from '../../domain/event.ts'
import { wordsOf } from './ids.ts'
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

/** Reservations that are over to keep: a turnaround needs the last one. The others cover a clock that was ahead. */
const PAST_MIN = 4

/** Seconds an ended window is kept for the record of its end. */
const UNRECORDED_MAX = 31 * 86_400

/** Drops windows that ended long before a time, in Unix milliseconds. */
export const dropEndedWindows = (sut: AuditedSut, time: number): void => {
  const { windows, released } = sut
  let over = 0
  const moment = time / 1_000 - UNRECORDED_MAX
  while (over < windows.length && (windows[over] as AuditedReservation).end <= moment) over++
  if (over > 0) windows.splice(0, over)
  if (released.length <= RELEASED_MIN) return
  const quarter = time / 1_000 - ((time / 1_000) % QUARTER)
  sut.released = released.filter(({ end }, n) => end > quarter || n >= released.length - PAST_MIN)
}

/** Adds a window whose end has been recorded. */
export const addEnded = (sut: AuditedSut, held: AuditedReservation): void => {
  sut.ended = [...sut.ended.slice(1 - PAST_MIN), held]
}

/** The reservations that were the last to end, each with its actual end. */
const findPast = ({ released, ended }: AuditedSut): readonly AuditedReservation[] => [
  ...released.slice(-PAST_MIN),
  ...ended,
]

/** The last reservation that ends at or before a moment. */
export const findBefore = (sut: AuditedSut, moment: number): AuditedReservation | undefined =>
  [...findPast(sut), sut.windows[countBefore(sut.windows, moment) - 1]]
    .filter((held) => held !== undefined && held.end <= moment)
    .reduce(
      (last, held) => (last !== undefined && last.end >= (held as AuditedReservation).end ? last : held),
      undefined,
    )

/** The first reservation that starts at or after a moment. */
export const findAfter = (sut: AuditedSut, moment: number): AuditedReservation | undefined =>
  [...findPast(sut), sut.windows[countBefore(sut.windows, moment)]]
    .filter((held) => held !== undefined && held.start >= moment)
    .reduce(
      (first, held) => (first !== undefined && first.start <= (held as AuditedReservation).start ? first : held),
      undefined,
    )

/** Index of the reservation an event is about. Its end must not have been recorded. */
export const findPlace = (
  { windows }: AuditedSut,
  { _id, user_id }: DataOf<'ReservationCancelled'>,
  report: Report,
): number => {
  const [high, middle, low] = wordsOf(_id)
  const place = windows.findIndex((held) => held.low === low && held.middle === middle && held.high === high)
  const held = windows[place]
  if (held === undefined) report(`refers to the reservation ${_id}, which is not current`)
  else if (held.user_id !== user_id) report(`names ${user_id} as the owner of another user's reservation`)
  return place
}
