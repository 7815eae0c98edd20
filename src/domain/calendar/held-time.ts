import type { Held } from './held.ts'
import type { Window } from './window.ts'

/**
 * A stretch of time in which a SUT was really held until a reservation was released: by that one, and by those released
 * before it that touch it. What stands beside it begins on or behind its end, so that held windows never overlap.
 */
export interface HeldTime extends Window {
  /** The reservation that was released last, as it ended. */
  readonly last: Held
}

/**
 * Stretches that are kept: of those in the quarter that a decision is made in there is one, since all held time in it is
 * one stretch from its beginning on. The others are for a clock that was wrong for a while.
 */
const KEPT_MAX = 4

/** With a reservation that has been released, as it ended; the newest is last. */
export const addReleased = (times: readonly HeldTime[], last: Held): readonly HeldTime[] => {
  let { start, end } = last
  const others: HeldTime[] = []
  for (const time of times) {
    if (time.start > end || start > time.end) others.push(time)
    else [start, end] = [Math.min(start, time.start), Math.max(end, time.end)]
  }
  return [...others.slice(1 - KEPT_MAX), { start, end, last }]
}

/** The held time that a moment lies in, in Unix seconds. */
export const heldTimeAt = (times: readonly HeldTime[], moment: number): HeldTime | undefined =>
  times.findLast(({ start, end }) => start <= moment && moment < end)
