import type { DataOf, Recorded } from '../../domain/event.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { countBefore, formatId } from './calendar.ts'
import { hexAt } from './ids.ts'
import { offsetIn, secondsIn } from './moments.ts'
import { copyText, type Held, type Report, type Stream, type Sut } from './state.ts'

export type ClockCorrected = DataOf<'ClockCorrected'>

export const toHeld = (window: ClockCorrected['windows'][number]): Held => ({
  high: hexAt(window._id, 0, 8),
  middle: hexAt(window._id, 8, 16),
  low: hexAt(window._id, 16, 24),
  user_id: window.user_id,
  start: secondsIn(window.start_time),
  end: secondsIn(window.end_time),
  endOffset: offsetIn(window.end_time),
  created: undefined,
  hasStarted: window.started === true,
  isBound: false,
})

/** Restores windows. Reports those that overlap a current one. */
export const restoreWindows = ({ windows }: Sut, { windows: restored }: ClockCorrected, report: Report): void => {
  for (const window of restored) {
    const held = toHeld(window)
    const place = countBefore(windows, held.start)
    const [before, behind] = [windows[place - 1], windows[place]]
    const overlaps =
      (before !== undefined && before.end > held.start) || (behind !== undefined && behind.start < held.end)
    const isStanding = behind !== undefined && formatId(behind) === window._id
    if (isStanding) behind.hasStarted = held.hasStarted
    else if (overlaps) report(`restores the reservation ${window._id} over a current one`)
    else windows.splice(place, 0, held)
  }
}

/** Once all windows are restored, the stream's time is corrected and its idempotency records are dropped. */
export const correctTime = (stream: Stream, data: ClockCorrected, time: number, report: Report): void => {
  const { revisions, positions, remaining } = data
  if (revisions.from > revisions.to || revisions.to >= stream.revision) {
    report(`corrects the revisions ${revisions.from} to ${revisions.to}, which do not precede it in its stream`)
  }
  if (positions.from > positions.to) report(`corrects the positions ${positions.from} to ${positions.to}`)
  if (remaining > 0) return
  stream.time = time
  stream.keys = undefined
  if (stream.lastChange !== undefined) stream.lastChange.time = time
}

type Span = ClockCorrected['revisions']

/** The times that an event corrects. */
export interface Correction {
  readonly stream: string
  readonly position: PublicPosition
  readonly revision: number
  readonly revisions: Span
  readonly positions: Span
  /** Whether starts and ends were recorded by then. */
  readonly hasSchedule: boolean
}

export const toCorrection = (
  { stream, revision, data }: Extract<Recorded, { readonly type: 'ClockCorrected' }>,
  position: PublicPosition,
  hasSchedule: boolean,
): Correction => ({
  stream: copyText(stream),
  position,
  revision,
  revisions: { ...data.revisions },
  positions: { ...data.positions },
  hasSchedule,
})
