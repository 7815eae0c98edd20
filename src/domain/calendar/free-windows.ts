import type { Window } from './window.ts'
import { withTurnaround } from './window.ts'

export interface FreeWindows {
  readonly windows: readonly Window[]
  /** The start of the next window, if there are more than were asked for. */
  readonly next: number | undefined
}

/**
 * What of a span can be booked whole, in pieces of at least `length` seconds, by start; at most `limit`. The windows must
 * be sorted by start, and include those that reach into the span by the turnaround.
 */
export const findFreeWindows = (
  held: readonly Window[],
  span: Window,
  length: number,
  limit: number,
  turnaround: number,
): FreeWindows => {
  const windows: Window[] = []
  let { start } = span
  const taken = held.map((window) => withTurnaround(window, turnaround))
  for (const window of [...taken, { start: span.end, end: span.end }]) {
    const end = Math.min(window.start, span.end)
    if (end > start && end - start >= length) {
      if (windows.length === limit) return { windows, next: start }
      windows.push({ start, end })
    }
    if (window.start >= span.end) break
    start = Math.max(start, window.end)
  }
  return { windows, next: undefined }
}
