import { countBefore, formatId } from '../audit/state/calendar.ts'
import { hexAt } from '../audit/state/ids.ts'
import { millisecondsIn, offsetIn, secondsIn } from '../audit/state/moments.ts'
import { type AuditedReservation, type AuditedSut, copyText, type Report, type Stream } from '../audit/state/state.ts'
import type { DataOf, Recorded } from '../domain/event.ts'
import {
  LISTEN_PORTS_STREAM,
  matchStream,
  monitoringStream,
  REFUSALS_STREAM,
  REQUESTS_STREAM,
  SCHEDULE_STREAM,
  sessionStream,
  tokenStream,
  USERS_STREAM,
} from '../domain/values/ids.ts'
import type { PublicPosition } from '../domain/values/position.ts'

export type ClockCorrected = DataOf<'ClockCorrected'>
type Event = Extract<Recorded, { readonly type: 'ClockCorrected' }>

/** @param now Unix milliseconds: from when its keepalive counts anew */
export const toAuditedReservation = (window: ClockCorrected['windows'][number], now: number): AuditedReservation => ({
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
  keepalive: window.keepalive === undefined ? undefined : { seconds: window.keepalive, at: now, hasHeartbeats: false },
})

/**
 * Restores windows, and reports those that overlap a current one. Past ones are not dropped: while windows remain to be
 * restored, the stream's time is still wrong. What was kept alive later than now was so by a wrong clock.
 */
export const restoreWindows = (
  sut: AuditedSut,
  { windows: restored }: ClockCorrected,
  now: number,
  report: Report,
): void => {
  const { windows } = sut
  for (const { keepalive } of windows) if (keepalive !== undefined) keepalive.at = Math.min(keepalive.at, now)
  for (const window of restored) {
    const held = toAuditedReservation(window, now)
    const place = countBefore(windows, held.start)
    const [before, behind] = [windows[place - 1], windows[place]]
    const overlaps =
      (before !== undefined && before.end > held.start) || (behind !== undefined && behind.start < held.end)
    const isStanding = behind !== undefined && formatId(behind) === window._id
    if (isStanding) behind.hasStarted = held.hasStarted
    else if (overlaps) report(`restores the reservation ${window._id} over a current one`)
    else windows.splice(place, 0, held)
  }
  const current = new Set(windows.map(formatId))
  sut.ended = sut.ended.filter((held) => !current.has(formatId(held)))
}

/** Once all windows are restored, the stream's time is corrected and its idempotency records are dropped. */
const correctTime = (stream: Stream, data: ClockCorrected, time: number, report: Report): void => {
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

/** Checks a correction against its stream and applies it. What it restores is judged in a second pass. */
export const judgeCorrection = (
  stream: Stream,
  { stream: name, revision, data, metadata }: Event,
  at: Pick<Correction, 'position' | 'hasSchedule'>,
  report: Report,
): Correction => {
  const now = millisecondsIn(metadata.time)
  correctTime(stream, data, now, report)
  if (!stream.isUncertain) restoreWindows(stream.sut, data, now, report)
  return { ...at, stream: copyText(name), revision, revisions: { ...data.revisions }, positions: { ...data.positions } }
}

/** Prefixes of streams beside those of SUTs that may have a wrong time. */
const PREFIXES = [matchStream(''), monitoringStream(''), sessionStream(''), tokenStream('')]
const NAMES = [LISTEN_PORTS_STREAM, REFUSALS_STREAM, REQUESTS_STREAM, SCHEDULE_STREAM, USERS_STREAM]

/** Whether a correction that names no SUT belongs in a stream. */
export const isOfOtherStream = (stream: string): boolean =>
  NAMES.includes(stream) || PREFIXES.some((prefix) => stream.startsWith(prefix))
