import test from 'ava'
import fc from 'fast-check'
import { findFreeWindows } from '../../../src/domain/calendar/free-windows.ts'
import { overlaps, QUARTER, type Window } from '../../../src/domain/calendar/window.ts'

const quarters = (first: number, last: number): Window => ({ start: first * QUARTER, end: last * QUARTER })

const aWindow = fc
  .tuple(fc.integer({ min: -10, max: 50 }), fc.integer({ min: 1, max: 12 }))
  .map(([start, length]) => quarters(start, start + length))

const aSpan = fc
  .tuple(fc.integer({ min: 0, max: 20 }), fc.nat(30))
  .map(([start, length]) => quarters(start, start + length))

/** Ended in the middle of a quarter. */
const released = ({ start, end }: Window): Window => ({ start, end: end - 100 })

/** The free windows, found by trying every quarter of the span beside every window. */
const tried = (
  held: readonly Window[],
  { start, end }: Window,
  length: number,
  turnaround: number,
): readonly Window[] => {
  const free: { start: number; end: number }[] = []
  for (let at = start; at < end; at += QUARTER) {
    const isTooClose = (window: Window): boolean =>
      turnaround > 0 &&
      (window.start >= at + QUARTER
        ? window.start < at + QUARTER + turnaround
        : window.end <= at && at < Math.ceil(window.end / QUARTER) * QUARTER + turnaround)
    if (held.some((window) => overlaps(window, { start: at, end: at + QUARTER }) || isTooClose(window))) continue
    const last = free.at(-1)
    if (last?.end === at) last.end = at + QUARTER
    else free.push({ start: at, end: at + QUARTER })
  }
  return free.filter((window) => window.end - window.start >= length)
}

test('property: the free windows of a span are those found by trying every quarter', (t) => {
  const length = fc.integer({ min: 1, max: 5 * QUARTER })
  const turnaround = fc.constantFrom(0, QUARTER, 4 * QUARTER)
  const windows = fc.tuple(fc.array(aWindow, { maxLength: 12 }), turnaround)
  const property = fc.property(windows, aSpan, length, ([windows, turnaround], span, shortest) => {
    const ends = turnaround === 0 ? windows : windows.map(released)
    const held = ends.toSorted((a, b) => a.start - b.start)
    const { windows: found } = findFreeWindows(held, span, shortest, 1000, turnaround)
    t.deepEqual(found, tried(held, span, shortest, turnaround))
  })
  fc.assert(property, { numRuns: 500 })
})

test('at most the requested number of free windows is returned, the earliest first, with where to go on', (t) => {
  const held = [quarters(1, 2), quarters(3, 4), quarters(5, 6)]
  const [first, ...others] = [quarters(0, 1), quarters(2, 3), quarters(4, 5), quarters(6, 8)]
  const all = [first, ...others]
  for (const limit of [1, 2, 3])
    t.deepEqual(findFreeWindows(held, quarters(0, 8), 1, limit, 0), {
      windows: all.slice(0, limit),
      next: all[limit]?.start,
    })
  t.deepEqual(findFreeWindows(held, quarters(0, 8), 1, 4, 0), { windows: all, next: undefined })
  // No further window is long enough.
  t.is(findFreeWindows(held, quarters(0, 6), 1, 3, 0).next, undefined)
})
