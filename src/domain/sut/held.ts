import { findNextFree, findOverlapping } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { heldTimeAt } from '../calendar/held-time.ts'
import { overlaps, QUARTER, type Window } from '../calendar/window.ts'
import type { SutState } from './state.ts'

/** Moves the start of a window past the time a released reservation actually held the SUT. */
export const skipHeldTime = ({ released }: SutState, { start, end }: Window): Window => ({
  start: heldTimeAt(released, start)?.end ?? start,
  end,
})

/**
 * Reservations that overlap the window, by start, at most `limit`. If the window is empty, the released reservation
 * that held it.
 */
export const findHeld = ({ windows, released }: SutState, window: Window, limit: number): readonly Held[] => {
  const isEmpty = window.start >= window.end
  const ended = released.filter((time) => (isEmpty ? time.end === window.start : overlaps(time, window)))
  const current = isEmpty ? [] : findOverlapping(windows, window, limit)
  if (ended.length === 0) return current
  return [...ended.map(({ last }) => last), ...current].sort((a, b) => a.start - b.start).slice(0, limit)
}

/** Where what is free from the start of a window ends, in a window that is not free. Undefined if its start is taken. */
export const findFreeUntil = ({ windows, released }: SutState, window: Window): number | undefined => {
  const ended = released.filter((time) => overlaps(time, window))
  const first = Math.min(...[...ended, ...findOverlapping(windows, window, 1)].map(({ start }) => start))
  return window.start < first && first < window.end ? first : undefined
}

/** The earliest free window of the same length on the grid, from the given start to `latest`. */
export const findNextAvailable = (sut: SutState, { start, end }: Window, latest: number): Window | undefined => {
  let from = start
  for (;;) {
    const free = findNextFree(sut.windows, from, end - start, latest)
    if (free === undefined) return undefined
    const window = skipHeldTime(sut, free)
    const [inTheWay] = findHeld(sut, window, 1)
    if (inTheWay === undefined) return window
    // Either a quarter-hour was held to its end, or a clock that was ahead recorded held time.
    from = Math.max(free.start + QUARTER, Math.ceil(inTheWay.end / QUARTER) * QUARTER)
  }
}
