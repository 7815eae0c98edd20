import type { Held } from './held.ts'
import type { Window } from './window.ts'

/**
 * A span in which released reservations actually held the SUT. Touching reservations form one span. Current windows
 * start at its end or later, so held windows never overlap.
 */
export interface HeldTime extends Window {
  /** The last reservation released, with its actual end. */
  readonly last: Held
}

/**
 * Spans to keep. A decision needs only the span in the current quarter-hour, which is always one. The others cover a
 * clock that was wrong for a while.
 */
const KEPT_MAX = 4

/** Adds a released reservation with its actual end. The newest span is last. */
export const addReleased = (times: readonly HeldTime[], last: Held): readonly HeldTime[] => {
  let { start, end } = last
  const others: HeldTime[] = []
  for (const time of times) {
    if (time.start > end || start > time.end) others.push(time)
    else [start, end] = [Math.min(start, time.start), Math.max(end, time.end)]
  }
  return [...others.slice(1 - KEPT_MAX), { start, end, last }]
}

/** The held span that contains a moment, in Unix seconds. */
export const heldTimeAt = (times: readonly HeldTime[], moment: number): HeldTime | undefined =>
  times.findLast(({ start, end }) => start <= moment && moment < end)
