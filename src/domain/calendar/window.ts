import { addSeconds, ceilSecond, floorSecond, type Instant, instantAt, type OffsetTime } from '../values/instant.ts'

/** A half-open span `[start, end)` in Unix seconds. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** Seconds. Windows begin and end on UTC quarter-hours. */
export const QUARTER = 900

const floorQuarter = (seconds: number): number => Math.floor(seconds / QUARTER) * QUARTER

/** The quarter that contains a moment in Unix milliseconds. */
export const quarterAt = (milliseconds: number): number => floorQuarter(milliseconds / 1000)

/** The quarter at or before a moment, in Unix seconds. */
export const floorToQuarter = (at: Instant): number => floorQuarter(floorSecond(at))

/** The quarter at or after a moment, in Unix seconds: one nanosecond past a quarter gives the next. */
export const ceilToQuarter = (at: Instant): number => floorQuarter(ceilSecond(at) + QUARTER - 1)

/** Widens a span to the grid, so the caller gets at least what was requested. */
export const alignToGrid = (start: Instant, end: Instant): Window => ({
  start: floorToQuarter(start),
  end: ceilToQuarter(end),
})

export const overlaps = (a: Window, b: Window): boolean => a.start < b.end && b.start < a.end

/** A window as requested, before aligning it to the grid: either both ends, or a start and a length relative to now. */
export type RequestedWindow =
  | { readonly form: 'explicit'; readonly start: OffsetTime; readonly end: OffsetTime }
  | { readonly form: 'relative'; readonly startIn: number; readonly duration: number }

type RelativeWindow = Extract<RequestedWindow, { readonly form: 'relative' }>

const endsFromNow = (asked: RelativeWindow, now: number): Record<'start' | 'end', OffsetTime> => {
  const start = addSeconds(instantAt(now), asked.startIn)
  return { start: { instant: start, offset: 0 }, end: { instant: addSeconds(start, asked.duration), offset: 0 } }
}

/** A requested window at a moment: its ends, the offsets to answer in, and the window on the grid. */
export interface ResolvedWindow {
  readonly start: OffsetTime
  readonly end: OffsetTime
  readonly gridded: Window
}

/** @param now Unix milliseconds */
export const resolveWindow = (asked: RequestedWindow, now: number): ResolvedWindow => {
  const { start, end } = asked.form === 'explicit' ? asked : endsFromNow(asked, now)
  return { start, end, gridded: alignToGrid(start.instant, end.instant) }
}
