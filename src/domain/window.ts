import type { Instant } from './instant.ts'

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
export const quarterBefore = (epochNanoseconds: bigint): number => {
  const into = epochNanoseconds % QUARTER_NANOSECONDS
  const back = into < 0n ? into + QUARTER_NANOSECONDS : into
  return Number((epochNanoseconds - back) / NANOSECONDS)
}

// Taken from 0, because a bare minus would make the epoch itself minus zero.
/** The quarter at or after a moment, in Unix seconds: one nanosecond past a quarter gives the next. */
export const quarterAfter = (epochNanoseconds: bigint): number => 0 - quarterBefore(-epochNanoseconds)

/** Widens an asked span to the grid, so that a caller never gets less than asked for. */
export const onGrid = (start: bigint, end: bigint): Window => ({ start: quarterBefore(start), end: quarterAfter(end) })

export const overlaps = (a: Window, b: Window): boolean => a.start < b.end && b.start < a.end

/**
 * The index of the first of the windows that ends after `moment`. The windows must be sorted and must not overlap, as a
 * SUT's calendar always is; then their ends are sorted too.
 */
export const firstEndingAfter = (windows: readonly Window[], moment: number): number => {
  let low = 0
  let high = windows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((windows[middle] as Window).end > moment) high = middle
    else low = middle + 1
  }
  return low
}

/** Those of a SUT's sorted windows that overlap the given one, by start, at most `limit`. */
export const overlapping = <W extends Window>(windows: readonly W[], wanted: Window, limit: number): W[] => {
  const found: W[] = []
  for (let i = firstEndingAfter(windows, wanted.start); i < windows.length && found.length < limit; i++) {
    const window = windows[i] as W
    if (window.start >= wanted.end) break
    found.push(window)
  }
  return found
}

/** The earliest free window of `length` seconds that starts at or after `from` and not after `latest`. */
export const nextFree = (
  windows: readonly Window[],
  from: number,
  length: number,
  latest: number,
): Window | undefined => {
  let start = from
  for (let i = firstEndingAfter(windows, from); i < windows.length; i++) {
    const window = windows[i] as Window
    if (window.start >= start + length) break
    start = Math.max(start, window.end)
  }
  return start <= latest ? { start, end: start + length } : undefined
}

/** Puts a window that overlaps none of the sorted ones into its place. */
export const inserted = <W extends Window>(windows: readonly W[], window: W): readonly W[] =>
  windows.toSpliced(firstEndingAfter(windows, window.start), 0, window)

/** What a client asked for, before the grid: either both ends, or a start and a length counted from now. */
export type AskedWindow =
  | { readonly form: 'explicit'; readonly start: Instant; readonly end: Instant }
  | { readonly form: 'relative'; readonly startIn: number; readonly duration: number }

/** The moments an asked window means at `now` (Unix milliseconds), in nanoseconds, and the offsets to answer in. */
export const momentsOf = (asked: AskedWindow, now: number): { start: Instant; end: Instant } => {
  if (asked.form === 'explicit') return asked
  const start = BigInt(now) * 1_000_000n + BigInt(asked.startIn) * NANOSECONDS
  return {
    start: { epochNanoseconds: start, offset: 0 },
    end: { epochNanoseconds: start + BigInt(asked.duration) * NANOSECONDS, offset: 0 },
  }
}
