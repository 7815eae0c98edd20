import type { Window } from './window.ts'

export interface FreeWindows {
  readonly windows: readonly Window[]
  /** The start of the next window, if there are more than were asked for. */
  readonly next: number | undefined
}

/** Gaps in a span of at least `length` seconds, by start; at most `limit`. The windows must be sorted by start. */
export const findFreeWindows = (held: readonly Window[], span: Window, length: number, limit: number): FreeWindows => {
  const windows: Window[] = []
  let { start } = span
  for (const window of [...held, { start: span.end, end: span.end }]) {
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
