import fc from 'fast-check'
import { QUARTER, type Window } from '../../../src/domain/calendar/window.ts'

/** A window on the grid. */
export const arbitraryWindow = (): fc.Arbitrary<Window> =>
  fc.tuple(fc.integer({ min: -20, max: 60 }), fc.integer({ min: 1, max: 8 })).map(([start, length]) => ({
    start: start * QUARTER,
    end: (start + length) * QUARTER,
  }))

/** Overlap by definition: some quarter belongs to both. */
export const shareAQuarter = (a: Window, b: Window): boolean => {
  for (let quarter = a.start; quarter < a.end; quarter += QUARTER) {
    if (b.start <= quarter && quarter < b.end) return true
  }
  return false
}
