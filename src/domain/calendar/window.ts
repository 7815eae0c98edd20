import {
  addSeconds,
  ceilSecond,
  floorSecond,
  formatWithOffset,
  type Instant,
  instantAt,
  type OffsetTime,
} from '../values/instant.ts'
import type { Seconds, UnixMilliseconds, UnixSeconds } from '../values/units.ts'

/** A half-open span `[start, end)` in Unix seconds. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** A window, and the offsets in which it is written, in minutes: those in which it was asked for. */
export interface WrittenWindow extends Window {
  readonly startOffset: number
  readonly endOffset: number
}

/** A window as events, documents and refusals have it. */
export const formatWindow = (window: WrittenWindow): { start_time: string; end_time: string } => ({
  start_time: formatWithOffset(window.start, window.startOffset),
  end_time: formatWithOffset(window.end, window.endOffset),
})

export const overlaps = (a: Window, b: Window): boolean => a.start < b.end && b.start < a.end

/** Seconds. Windows begin and end on UTC quarter-hours. */
export const QUARTER = 900

export const floorQuarter = (seconds: number): number => Math.floor(seconds / QUARTER) * QUARTER
export const ceilQuarter = (seconds: number): number => Math.ceil(seconds / QUARTER) * QUARTER

export const quarterAt = (moment: UnixMilliseconds): UnixSeconds => floorQuarter(moment / 1000)

export const floorToQuarter = (at: Instant): UnixSeconds => floorQuarter(floorSecond(at))

/** The quarter at or after a moment, in Unix seconds: one nanosecond past a quarter gives the next. */
export const ceilToQuarter = (at: Instant): UnixSeconds => ceilQuarter(ceilSecond(at))

/** Widens a span to the grid, so the caller gets at least what was requested. */
export const alignToGrid = (start: Instant, end: Instant): Window => ({
  start: floorToQuarter(start),
  end: ceilToQuarter(end),
})

/**
 * Seconds that a SUT may need between two reservations, in whole quarter-hours: a window begins no earlier than the
 * quarter-hour at or after the end of the one before it, and the turnaround later. Without one, windows may touch.
 */
export const TURNAROUND_MAX = 86_400

/** The earliest start after a window that ends at a moment. */
export const earliestAfter = (end: UnixSeconds, turnaround: Seconds): UnixSeconds =>
  turnaround === 0 ? end : ceilQuarter(end) + turnaround

/** What a window takes of a SUT: what overlaps it cannot be booked. Windows that are sorted by start stay so. */
export const withTurnaround = ({ start, end }: Window, turnaround: number): Window => ({
  start: start - turnaround,
  end: earliestAfter(end, turnaround),
})

/** Windows that reach into a span, if widened by a turnaround, all overlap this one. */
export const reachOf = ({ start, end }: Window, turnaround: number): Window =>
  turnaround === 0 ? { start, end } : { start: start - turnaround - QUARTER, end: end + turnaround }

/** A window as requested, before aligning it to the grid: either both ends, or a start and a length relative to now. */
export type RequestedWindow =
  | { readonly form: 'explicit'; readonly start: OffsetTime; readonly end: OffsetTime }
  | { readonly form: 'relative'; readonly startIn: number; readonly duration: number }

/** A requested window at a moment: its ends, the offsets to answer in, and the window on the grid. */
export interface ResolvedWindow {
  readonly start: OffsetTime
  readonly end: OffsetTime
  readonly gridded: Window
}

export const resolveWindow = (asked: RequestedWindow, now: UnixMilliseconds): ResolvedWindow => {
  if (asked.form === 'explicit') {
    const { start, end } = asked
    return { start, end, gridded: alignToGrid(start.instant, end.instant) }
  }
  const start = addSeconds(instantAt(now), asked.startIn)
  const end = addSeconds(start, asked.duration)
  const gridded = alignToGrid(start, end)
  return { start: { instant: start, offset: 0 }, end: { instant: end, offset: 0 }, gridded }
}
