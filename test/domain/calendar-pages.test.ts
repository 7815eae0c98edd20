import test from 'ava'
import fc from 'fast-check'
import {
  type Calendar,
  endingAfter,
  filterMap,
  inserted,
  nextFree,
  notOver,
  overlapping,
  sizeOf,
} from '../../src/domain/calendar.ts'
import { QUARTER, type Window } from '../../src/domain/window.ts'
import { arbitraryWindow, shareAQuarter } from './arbitrary-windows.ts'

/** Windows by start, none overlapping another, edges touching often; now and then more than a page of a calendar takes. */
const arbitraryWindows = (): fc.Arbitrary<readonly Window[]> =>
  fc
    .tuple(
      fc.integer({ min: -20, max: 10 }),
      fc.array(fc.record({ gap: fc.integer({ min: 0, max: 4 }), length: fc.integer({ min: 1, max: 6 }) }), {
        maxLength: 120,
        size: '+1',
      }),
    )
    .map(([from, steps]) => {
      let end = from * QUARTER
      return steps.map(({ gap, length }) => {
        const start = end + gap * QUARTER
        end = start + length * QUARTER
        return { start, end }
      })
    })

/** A calendar of the given windows, which came in any order. */
const calendarOf = (windows: readonly Window[]): fc.Arbitrary<Calendar> =>
  fc
    .shuffledSubarray([...windows], { minLength: windows.length })
    .map((shuffled) => shuffled.reduce<Calendar>((calendar, window) => inserted(calendar, window), []))

/** A calendar and, by start, the windows that are in it. */
const arbitraryCalendar = (): fc.Arbitrary<readonly [Calendar, readonly Window[]]> =>
  arbitraryWindows().chain((windows) => fc.tuple(calendarOf(windows), fc.constant(windows)))

const moments = (): fc.Arbitrary<number> => fc.integer({ min: -25 * QUARTER, max: 300 * QUARTER })

const areRight = (calendar: Calendar): boolean => calendar.every(({ length }) => length > 0 && length <= 32)

test('a calendar has the windows that were put into it, by start, in pages', (t) => {
  let pages = 0
  const property = fc.property(arbitraryCalendar(), ([calendar, windows]) => {
    t.deepEqual(calendar.flat(), windows)
    t.is(sizeOf(calendar), windows.length)
    t.true(areRight(calendar))
    pages = Math.max(pages, calendar.length)
  })
  fc.assert(property)
  t.true(pages > 2, 'calendars of several pages were among them')
})

test('what is found in a calendar by halving is what looking at every window finds', (t) => {
  const property = fc.property(arbitraryCalendar(), arbitraryWindow(), moments(), fc.nat(12), (found, ...rest) => {
    const [calendar, windows] = found
    const [wanted, moment, limit] = rest
    t.deepEqual(
      [...endingAfter(calendar, moment)],
      windows.filter(({ end }) => end > moment),
    )
    t.deepEqual(overlapping(calendar, wanted, limit), windows.filter((w) => shareAQuarter(w, wanted)).slice(0, limit))
  })
  fc.assert(property)
})

test('the next free window is the first that fits when every quarter is tried', (t) => {
  const quarters = fc.integer({ min: -25, max: 60 })
  const property = fc.property(arbitraryCalendar(), quarters, fc.integer({ min: 1, max: 8 }), fc.nat(60), (...all) => {
    const [[calendar, windows], first, length, reach] = all
    const tried = Array.from({ length: reach + 1 }, (_, i) => ({
      start: (first + i) * QUARTER,
      end: (first + i + length) * QUARTER,
    }))
    const expected = tried.find((window) => !windows.some((taken) => shareAQuarter(taken, window)))
    t.deepEqual(nextFree(calendar, first * QUARTER, length * QUARTER, (first + reach) * QUARTER), expected)
  })
  fc.assert(property)
})

test('a calendar with one window more leaves the calendar before it as it was', (t) => {
  const property = fc.property(arbitraryCalendar(), arbitraryWindow(), ([calendar, windows], window) => {
    fc.pre(!windows.some((taken) => shareAQuarter(taken, window)))
    const before = structuredClone(calendar)
    const after = inserted(calendar, window)
    t.deepEqual(
      after.flat(),
      [...windows, window].sort((a, b) => a.start - b.start),
    )
    t.true(areRight(after))
    t.deepEqual(calendar, before)
  })
  fc.assert(property)
})

test('a calendar forgets what is over, and is the same one when nothing is', (t) => {
  const property = fc.property(arbitraryCalendar(), moments(), ([calendar, windows], moment) => {
    const left = notOver(calendar, moment)
    const standing = windows.filter(({ end }) => end > moment)
    t.deepEqual(left.flat(), standing)
    t.true(areRight(left))
    if (standing.length === windows.length) t.is(left, calendar)
  })
  fc.assert(property)
})

test('windows of a calendar are changed and taken out in their places', (t) => {
  const property = fc.property(arbitraryCalendar(), fc.func(fc.nat(2)), ([calendar, windows], fate) => {
    const change = (window: Window): Window | undefined =>
      [window, { ...window, end: window.end - 1 }, undefined][fate(window)]
    const after = filterMap(calendar, change)
    t.deepEqual(
      after.flat(),
      windows.flatMap((window) => change(window) ?? []),
    )
    t.true(areRight(after))
  })
  fc.assert(property)
})
