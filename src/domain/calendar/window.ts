import type { Instant } from '../values/instant.ts'

/** A half-open span `[start, end)` in Unix seconds. */
export interface Window {
  readonly start: number
  readonly end: number
}

/** Seconds: windows begin and end on the quarter-hours of UTC. */
export const QUARTER = 900

const NANOSECONDS = 1_000_000_000n
const QUARTER_NANOSECONDS = BigInt(QUARTER) * NANOSECONDS

/** The quarter at or before a moment, in Unix seconds. */
export const floorToQuarter = (epochNanoseconds: bigint): number => {
  const into = epochNanoseconds % QUARTER_NANOSECONDS
  const back = into < 0n ? into + QUARTER_NANOSECONDS : into
  return Number((epochNanoseconds - back) / NANOSECONDS)
}

// Taken from 0, because a bare minus would make the epoch itself minus zero.
/** The quarter at or after a moment, in Unix seconds: one nanosecond past a quarter gives the next. */
export const ceilToQuarter = (epochNanoseconds: bigint): number => 0 - floorToQuarter(-epochNanoseconds)

/** Widens an asked span to the grid, so that a caller never gets less than asked for. */
export const alignToGrid = (start: bigint, end: bigint): Window => ({
  start: floorToQuarter(start),
  end: ceilToQuarter(end),
})

export const overlaps = (a: Window, b: Window): boolean => a.start < b.end && b.start < a.end

/** What a client asked for, before the grid: either both ends, or a start and a length counted from now. */
export type RequestedWindow =
  | { readonly form: 'explicit'; readonly start: Instant; readonly end: Instant }
  | { readonly form: 'relative'; readonly startIn: number; readonly duration: number }

/** The moments an asked window means at `now` (Unix milliseconds), in nanoseconds, and the offsets to answer in. */
export const resolveWindow = (asked: RequestedWindow, now: number): { start: Instant; end: Instant } => {
  if (asked.form === 'explicit') return asked
  const start = BigInt(now) * 1_000_000n + BigInt(asked.startIn) * NANOSECONDS
  return {
    start: { epochNanoseconds: start, offset: 0 },
    end: { epochNanoseconds: start + BigInt(asked.duration) * NANOSECONDS, offset: 0 },
  }
}
