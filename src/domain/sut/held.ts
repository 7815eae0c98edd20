import { findNextFree, findOverlapping } from '../calendar/calendar.ts'
import type { Held } from '../calendar/held.ts'
import { heldTimeAt } from '../calendar/held-time.ts'
import { overlaps, QUARTER, type Window } from '../calendar/window.ts'
import type { SutState } from './state.ts'

/** A window on the grid, from where the SUT was really held until, if that lies within it or at its end. */
export const skipHeldTime = ({ released }: SutState, { start, end }: Window): Window => ({
  start: heldTimeAt(released, start)?.end ?? start,
  end,
})

/** What stands in such a window by start, at most `limit`; where nothing is left of it, what has held it. */
export const findHeld = ({ windows, released }: SutState, window: Window, limit: number): readonly Held[] => {
  const isEmpty = window.start >= window.end
  const ended = released.filter((time) => (isEmpty ? time.end === window.start : overlaps(time, window)))
  const standing = isEmpty ? [] : findOverlapping(windows, window, limit)
  if (ended.length === 0) return standing
  return [...ended.map(({ last }) => last), ...standing].sort((a, b) => a.start - b.start).slice(0, limit)
}

/** The earliest free window as long as the given one on the grid that starts with it or later, not after `latest`. */
export const findNextAvailable = (sut: SutState, { start, end }: Window, latest: number): Window | undefined => {
  let from = start
  for (;;) {
    const free = findNextFree(sut.windows, from, end - start, latest)
    if (free === undefined) return undefined
    const window = skipHeldTime(sut, free)
    const [inTheWay] = findHeld(sut, window, 1)
    if (inTheWay === undefined) return window
    // A quarter that was held to its end, or time that was held by a clock which was ahead then.
    from = Math.max(free.start + QUARTER, Math.ceil(inTheWay.end / QUARTER) * QUARTER)
  }
}
