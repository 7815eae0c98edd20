import test from 'ava'
import fc from 'fast-check'
import {
  type Calendar,
  change as changeWindow,
  dropPast,
  EMPTY,
  find,
  findEndingAfter,
  findFirstStarting,
  findLastEnded,
  findNextFree,
  findOverlapping,
  insert,
  remove,
} from '../../../src/domain/calendar/calendar.ts'
import type { Held } from '../../../src/domain/calendar/held.ts'
import { withTurnaround } from '../../../src/domain/calendar/turnaround.ts'
import { QUARTER, type Window } from '../../../src/domain/calendar/window.ts'
import { lengthOf } from '../../../src/domain/values/sorted-list.ts'
import { rounds } from '../../thorough.ts'
import { arbitraryCalendar, calendarOf, windowsOf } from './arbitrary-calendars.ts'

const overlap = (a: Window, b: Window): boolean => a.start < b.end && b.start < a.end

/** Moments in and around the windows of a calendar, including its edges. */
const around = (windows: readonly Held[], place: number, shift: number): number => {
  const held = windows[place % Math.max(windows.length, 1)]
  return (held === undefined ? 0 : place % 2 === 0 ? held.start : held.end) + shift
}
const shifts = (): fc.Arbitrary<number> =>
  fc.oneof(fc.constantFrom(0, 0, -1, 1, QUARTER, -QUARTER), fc.integer({ min: -9_000, max: 9_000 }))

const areRight = (calendar: Calendar): boolean => calendar.every(({ length }) => length > 0 && length <= 128)

test('property: a calendar contains its inserted windows by start, in valid chunks', (t) => {
  let chunks = 0
  const property = fc.property(arbitraryCalendar(), ([calendar, windows]) => {
    t.deepEqual(windowsOf(calendar), windows)
    t.true(areRight(calendar))
    chunks = Math.max(chunks, calendar.length)
  })
  fc.assert(property, { numRuns: rounds(25, 100) })
  t.true(chunks > 2, 'some calendars have several chunks')
})

test('property: binary search in a calendar finds the same windows as a linear scan', (t) => {
  const property = fc.property(arbitraryCalendar(), fc.nat(400), shifts(), fc.nat(40), fc.nat(12), (found, ...rest) => {
    const [calendar, windows] = found
    const [place, shift, quarters, limit] = rest
    const start = around(windows, place, shift)
    const wanted = { start, end: start + (quarters + 1) * QUARTER }
    t.deepEqual(
      findEndingAfter(calendar, start),
      windows.filter(({ end }) => end > start),
    )
    t.deepEqual(
      findOverlapping(calendar, wanted, limit),
      windows.filter((held) => overlap(held, wanted)).slice(0, limit),
    )
    t.deepEqual(
      findLastEnded(calendar, start),
      windows.findLast(({ end }) => end <= start),
    )
    t.deepEqual(
      findFirstStarting(calendar, start),
      windows.find((held) => held.start >= start),
    )
  })
  fc.assert(property, { numRuns: rounds(25, 100) })
})

test('property: the next free window is the first that fits among all starts', (t) => {
  const times = fc.tuple(fc.nat(8), fc.nat(60), fc.nat(3))
  const property = fc.property(arbitraryCalendar(), fc.nat(400), shifts(), times, (found, place, shift, numbers) => {
    const [calendar, windows] = found
    const [quarters, reach, turnaround] = numbers
    const from = around(windows, place, shift)
    const [length, latest] = [(quarters + 1) * QUARTER, from + reach * QUARTER]
    const taken = windows.map((held) => withTurnaround(held, turnaround * QUARTER))
    const starts = [from, ...taken.map(({ end }) => end).filter((end) => end > from)]
    const expected = starts
      .map((start) => ({ start, end: start + length }))
      .find((window) => !taken.some((held) => overlap(held, window)))
    t.deepEqual(
      findNextFree(calendar, from, length, latest, turnaround * QUARTER),
      expected && expected.start <= latest ? expected : undefined,
    )
  })
  fc.assert(property, { numRuns: rounds(25, 100) })
})

test('property: changing a calendar does not modify the original', (t) => {
  const property = fc.property(arbitraryCalendar(), fc.nat(400), ([calendar, windows], place) => {
    const held = windows[place % Math.max(windows.length, 1)]
    fc.pre(held !== undefined)
    const before = structuredClone(calendar)
    const rest = windows.filter((one) => one !== held)
    const less = remove(calendar, held._id)
    t.deepEqual(windowsOf(less), rest)
    t.true(areRight(less))
    const more = insert(less, held)
    t.deepEqual(windowsOf(more), windows)
    t.true(areRight(more))
    t.deepEqual(calendar, before)
  })
  fc.assert(property, { numRuns: rounds(25, 100) })
})

test('property: a window is found and changed by its id', (t) => {
  const property = fc.property(arbitraryCalendar(), fc.nat(400), ([calendar, windows], place) => {
    const held = windows[place % Math.max(windows.length, 1)]
    t.is(find(calendar, '0'.repeat(24)), undefined)
    t.is(remove(calendar, '0'.repeat(24)), calendar)
    if (held === undefined) return
    t.deepEqual(find(calendar, held._id), held)
    const change = { end: held.end - 1, endOffset: -60, started: !held.started }
    const after = changeWindow(calendar, held._id, change)
    t.deepEqual(
      windowsOf(after),
      windows.map((one) => (one === held ? { ...held, ...change } : one)),
    )
    t.deepEqual(findOverlapping(after, { start: held.end - 1, end: held.end }, 9), [])
    t.true(areRight(after))
  })
  fc.assert(property, { numRuns: rounds(25, 100) })
})

test('property: a calendar drops past windows, and is unchanged if there are none', (t) => {
  const property = fc.property(arbitraryCalendar(), fc.nat(400), shifts(), ([calendar, windows], place, shift) => {
    const moment = around(windows, place, shift)
    const left = dropPast(calendar, moment)
    const remaining = windows.filter(({ end }) => end > moment)
    t.deepEqual(windowsOf(left), remaining)
    t.true(areRight(left))
    if (remaining.length === windows.length) t.is(left, calendar)
  })
  fc.assert(property, { numRuns: rounds(25, 100) })
})

test('removing windows one by one reduces the number of chunks', (t) => {
  const held = (n: number): Held => ({
    _id: n.toString(16).padStart(24, '0'),
    user_id: `user ${n}`,
    start: n * QUARTER,
    end: (n + 1) * QUARTER,
    startOffset: 0,
    endOffset: 0,
    lateness: 0,
    started: false,
    client: null,
    keepalive: 0,
    kept: 0,
    hasHeartbeats: false,
  })
  const windows = Array.from({ length: 12_800 }, (_, n) => held(n))
  const full = calendarOf(windows)
  t.is(full.length, 100, 'windows in chronological order fill their chunks')
  t.is(calendarOf(windows.toReversed()).length, 100)
  const few = windows.filter((_, n) => n % 8 !== 0).reduce((calendar, { _id }) => remove(calendar, _id), full)
  t.is(lengthOf(few), 1_600)
  t.true(few.length <= 36, `${few.length} chunks`)
  const none = windows.filter((_, n) => n % 8 === 0).reduce((calendar, { _id }) => remove(calendar, _id), few)
  t.deepEqual(none, EMPTY)
})
