import { ceilTo, floorTo, type Instant } from '../values/instant.ts'

/** A half-open span `[start, end)` in Unix seconds. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** Seconds. Windows begin and end on UTC quarter-hours. */
export const QUARTER = 900

const NANOSECONDS = 1_000_000_000n
const QUARTER_NANOSECONDS = BigInt(QUARTER) * NANOSECONDS

/** The quarter at or before a moment, in Unix seconds. */
export const floorToQuarter = (epochNanoseconds: bigint): number =>
  floorTo(epochNanoseconds, QUARTER_NANOSECONDS) * QUARTER

/** The quarter at or after a moment, in Unix seconds: one nanosecond past a quarter gives the next. */
export const ceilToQuarter = (epochNanoseconds: bigint): number =>
  ceilTo(epochNanoseconds, QUARTER_NANOSECONDS) * QUARTER

/** Widens a span to the grid, so the caller gets at least what was requested. */
export const alignToGrid = (start: bigint, end: bigint): Window => ({
  start: floorToQuarter(start),
  end: ceilToQuarter(end),
})

export const overlaps = (a: Window, b: Window): boolean => a.start < b.end && b.start < a.end

/** A window as requested, before aligning it to the grid: either both ends, or a start and a length relative to now. */
export type RequestedWindow =
  | { readonly form: 'explicit'; readonly start: Instant; readonly end: Instant }
  | { readonly form: 'relative'; readonly startIn: number; readonly duration: number }

/** Resolves a requested window at `now` (Unix milliseconds) to its ends and the offsets to answer in. */
export const resolveWindow = (asked: RequestedWindow, now: number): { start: Instant; end: Instant } => {
  if (asked.form === 'explicit') return asked
  const start = BigInt(now) * 1_000_000n + BigInt(asked.startIn) * NANOSECONDS
  return {
    start: { epochNanoseconds: start, offset: 0 },
    end: { epochNanoseconds: start + BigInt(asked.duration) * NANOSECONDS, offset: 0 },
  }
}
