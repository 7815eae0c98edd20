import test from 'ava'
import fc from 'fast-check'
import {
  dropEnded,
  findNextWindow,
  type KnownWindow,
  NEVER,
  newWindows,
  openingAt,
  putWindow,
  removeWindow,
} from '../../../src/domain/matching/openings.ts'

const Q = 900
/** Quarters that the model looks at. */
const SPAN = 40

/** Windows of whole quarters that do not overlap, and released ones that end within a quarter. */
const calendars: fc.Arbitrary<readonly KnownWindow[]> = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 4 }),
      length: fc.integer({ min: 1, max: 5 }),
      cut: fc.integer({ min: 0, max: Q - 1 }),
      isReleased: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map((parts) => {
    let at = 2
    return parts.map(({ gap, length, cut, isReleased }) => {
      const start = (at + gap) * Q
      at += gap + length
      return { start, end: at * Q - (isReleased ? cut : 0), isReleased }
    })
  })

/** Seconds around a window in which no other may be. */
const blockedBy = ({ start, end }: KnownWindow, turnaround: number) =>
  turnaround === 0 ? { from: start, to: end } : { from: start - turnaround, to: Math.ceil(end / Q) * Q + turnaround }

/** Whether a window of some quarters can be had, and from when: second by second where it matters. */
const bookable = (windows: readonly KnownWindow[], turnaround: number, quarter: number, quarters: number) => {
  let start = quarter * Q
  if (turnaround === 0)
    for (const held of windows) if (held.isReleased && held.start <= start && start < held.end) start = held.end
  const end = (quarter + quarters) * Q
  const isTaken = windows.some((held) => {
    const { from, to } = blockedBy(held, turnaround)
    return start < to && from < end
  })
  // A window begins in the quarter for which it was asked.
  return isTaken || start >= (quarter + 1) * Q ? undefined : { start, end }
}

const filled = (windows: readonly KnownWindow[]) => {
  const known = newWindows()
  for (const window of windows.toReversed()) putWindow(known, { ...window, end: window.start + 1, isReleased: false })
  putWindow(known, { start: SPAN * 2 * Q, end: SPAN * 3 * Q, isReleased: false })
  for (const window of windows) putWindow(known, window)
  removeWindow(known, SPAN * 2 * Q)
  removeWindow(known, SPAN * 2 * Q)
  return known
}

const turnarounds = fc.constantFrom(0, Q, 3 * Q)

test('a window fits into an opening exactly if no other is in its way, turnaround included', (t) => {
  fc.assert(
    fc.property(calendars, turnarounds, fc.integer({ min: 1, max: 6 }), (windows, turnaround, quarters) => {
      const known = filled(windows)
      for (let quarter = 0; quarter < SPAN; quarter++) {
        const { begins, until } = openingAt(known, quarter * Q, turnaround)
        const end = (quarter + quarters) * Q
        const found = begins === NEVER || end > until ? undefined : { start: begins, end }
        t.deepEqual(found, bookable(windows, turnaround, quarter, quarters), `at ${quarter}`)
      }
    }),
    { numRuns: 200 },
  )
})

test('the next window is the first that fits, and dropping what has ended changes nothing', (t) => {
  fc.assert(
    fc.property(
      calendars,
      turnarounds,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 0, max: SPAN }),
      (windows, turnaround, quarters, from) => {
        const known = filled(windows)
        const asked = { from: from * Q, length: quarters * Q, latest: SPAN * Q }
        const next = findNextWindow(known, turnaround, asked)
        const expected = Array.from({ length: SPAN - from + 1 }, (_, n) =>
          bookable(windows, turnaround, from + n, quarters),
        ).find((window) => window !== undefined)
        t.deepEqual(next, expected)
        const before = openingAt(known, from * Q, turnaround)
        dropEnded(known, from * Q)
        t.deepEqual(openingAt(known, from * Q, turnaround), before)
      },
    ),
    { numRuns: 200 },
  )
})
