import type { Window } from './window.ts'

/** Gaps in a span of at least `length` seconds, by start; at most `limit`. The windows must be sorted by start. */
export const findFreeWindows = (
  held: readonly Window[],
  span: Window,
  length: number,
  limit: number,
): readonly Window[] => {
  const free: Window[] = []
  let { start } = span
  for (const window of [...held, { start: span.end, end: span.end }]) {
    const end = Math.min(window.start, span.end)
    if (end > start && end - start >= length) free.push({ start, end })
    if (free.length >= limit || window.start >= span.end) break
    start = Math.max(start, window.end)
  }
  return free
}
