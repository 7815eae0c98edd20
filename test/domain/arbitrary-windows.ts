import fc from 'fast-check'
import { type Calendar, inserted } from '../../src/domain/calendar.ts'
import { QUARTER, type Window } from '../../src/domain/window.ts'

/** A window on the grid. */
export const arbitraryWindow = (): fc.Arbitrary<Window> =>
  fc.tuple(fc.integer({ min: -20, max: 60 }), fc.integer({ min: 1, max: 8 })).map(([start, length]) => ({
    start: start * QUARTER,
    end: (start + length) * QUARTER,
  }))

/** Overlap in the words of its definition: some quarter belongs to both. */
export const shareAQuarter = (a: Window, b: Window): boolean => {
  for (let quarter = a.start; quarter < a.end; quarter += QUARTER) {
    if (b.start <= quarter && quarter < b.end) return true
  }
  return false
}

/** Windows by start, none overlapping another, edges touching often; now and then more than a page of a calendar takes. */
export const arbitraryWindows = (): fc.Arbitrary<readonly Window[]> =>
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
export const calendarOf = (windows: readonly Window[]): fc.Arbitrary<Calendar> =>
  fc
    .shuffledSubarray([...windows], { minLength: windows.length })
    .map((shuffled) => shuffled.reduce<Calendar>((calendar, window) => inserted(calendar, window), []))
