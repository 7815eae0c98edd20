import { QUARTER } from '../calendar/window.ts'
import { bisect } from '../values/sorted-list.ts'

/** A reservation that holds its SUT, or held it until it was released. Unix seconds. */
export interface KnownWindow {
  readonly start: number
  readonly end: number
  readonly isReleased: boolean
}

/** The windows of a SUT that had not ended at the beginning of the current quarter, by start. */
export interface KnownWindows {
  readonly starts: number[]
  readonly ends: number[]
  /** The starts of those that were released. */
  readonly released: Set<number>
  /** The latest end before; 0 if there is none. */
  lastEnd: number
}

/** What a SUT has free at a quarter. Unix seconds. */
export interface Opening {
  /** When a window that is asked for from this quarter begins; NEVER if it cannot. */
  readonly begins: number
  /** The free span around it. */
  readonly from: number
  readonly until: number
  /** The end of the reservation before; 0 if there is none. */
  readonly lastEnd: number
  /** The next quarter at which a window may fit that does not fit here. */
  readonly retry: number
}

/** Later than any time. */
export const NEVER = 0xffff_ffff

export const newWindows = (): KnownWindows => ({ starts: [], ends: [], released: new Set(), lastEnd: 0 })

const nextQuarter = (moment: number): number => Math.ceil(moment / QUARTER) * QUARTER

/** The quarter in which a window can begin after another. Without turnaround it begins when that was released. */
const quarterAfter = (end: number, turnaround: number): number =>
  turnaround === 0 ? end - (end % QUARTER) : nextQuarter(end) + turnaround

const firstEndingAfter = ({ ends }: KnownWindows, moment: number): number =>
  bisect(ends.length, (n) => (ends[n] as number) > moment)

/** Adds a window, or changes the one with its start. */
export const putWindow = (windows: KnownWindows, { start, end, isReleased }: KnownWindow): void => {
  const { starts, ends, released } = windows
  const place = firstEndingAfter(windows, start)
  const replaced = starts[place] === start ? 1 : 0
  starts.splice(place, replaced, start)
  ends.splice(place, replaced, end)
  if (isReleased) released.add(start)
  else released.delete(start)
}

export const removeWindow = (windows: KnownWindows, start: number): void => {
  const { starts, ends, released } = windows
  const place = firstEndingAfter(windows, start)
  if (starts[place] !== start) return
  starts.splice(place, 1)
  ends.splice(place, 1)
  released.delete(start)
}

export const dropEnded = (windows: KnownWindows, moment: number): void => {
  const { starts, ends, released } = windows
  const count = firstEndingAfter(windows, moment)
  if (count === 0) return
  windows.lastEnd = Math.max(windows.lastEnd, ends[count - 1] as number)
  ends.splice(0, count)
  for (const start of starts.splice(0, count)) released.delete(start)
}

/** @param turnaround seconds, in whole quarters, that a SUT is not free after a reservation and before the next */
export const openingAt = (windows: KnownWindows, quarter: number, turnaround: number): Opening => {
  const { starts, ends, released } = windows
  let next = firstEndingAfter(windows, quarter)
  let begins = quarter
  const isReleased = (): boolean => released.has(starts[next] as number)
  // What was released in this quarter is free from then on.
  while ((starts[next] ?? NEVER) <= begins && isReleased()) begins = ends[next++] as number
  const lastEnd = next === 0 ? windows.lastEnd : (ends[next - 1] as number)
  const from = lastEnd === 0 || turnaround === 0 ? lastEnd : nextQuarter(lastEnd) + turnaround
  const isLast = next === starts.length
  const start = isLast ? NEVER : (starts[next] as number)
  // Only a clock that was ahead can have recorded a release in a later quarter.
  const isLater = begins >= quarter + QUARTER
  const isHeld = start <= begins
  const afterNext = isLast ? NEVER : quarterAfter(ends[next] as number, turnaround)
  return {
    begins: isHeld || isLater || from > begins ? NEVER : begins,
    from,
    until: isLast ? NEVER : start - turnaround,
    lastEnd,
    retry: isLater ? quarterAfter(begins, 0) : !isHeld && from > begins ? from : afterNext,
  }
}

/** The earliest window of `length` seconds from a quarter on that starts at `latest` at most. */
export const findNextWindow = (
  windows: KnownWindows,
  turnaround: number,
  { from, length, latest }: { readonly from: number; readonly length: number; readonly latest: number },
): { readonly start: number; readonly end: number } | undefined => {
  for (let quarter = from; quarter <= latest; ) {
    const { begins, until, retry } = openingAt(windows, quarter, turnaround)
    if (begins !== NEVER && quarter + length <= until) return { start: begins, end: quarter + length }
    quarter = Math.max(quarter + QUARTER, retry)
  }
  return undefined
}
