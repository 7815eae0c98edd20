import test from 'ava'
import fc from 'fast-check'
import {
  type Calendar,
  change as changeWindow,
  EMPTY,
  find,
  findEndingAfter,
  findInTheWay,
  findNextAvailable,
  findOverlapping,
  insert,
  remove,
} from '../../../src/domain/calendar/calendar.ts'
import type { Held } from '../../../src/domain/calendar/held.ts'
import { floorQuarter, overlaps, QUARTER, withTurnaround } from '../../../src/domain/calendar/window.ts'
import { lengthOf } from '../../../src/domain/values/sorted-list.ts'
import { makeRandom } from '../../process/random.ts'
import { rounds } from '../../thorough.ts'

/** Window count that needs several pages. */
const LONG = 600

const USERS = ['alice', 'bob', 'Zoë 😀', 'f'.repeat(24), 'u'.repeat(128)]
const CLIENTS = [null, `k1:${'a'.repeat(22)}`, `2030-05-02-1f3a:${'_'.repeat(22)}`]
const START_OFFSETS = [0, 120, -210, 840]
const END_OFFSETS = [0, 345, -840]

const RECORDED = ['nothing', 'start'] as const

const UNKEPT = { keepalive: 0, kept: 0, hasHeartbeats: false }

/** Milliseconds; a wrong clock can make more of them than a quarter-hour has. */
const LATENESS_MAX = 2 ** 40

/** Steps from a seed: drawing hundreds of them part by part would take most of a property's time. */
const stepsFrom = (seed: number, count: number) => {
  const { below, oneOf } = makeRandom(seed)
  return Array.from({ length: count }, () => ({
    gap: below(5),
    length: 1 + below(6),
    /** Seconds after the quarter: some windows start when another was released. */
    late: below(5) === 0 ? 1 + below(899) : 0,
    user_id: oneOf(USERS),
    offsets: [oneOf(START_OFFSETS), oneOf(END_OFFSETS)] as const,
    lateness: below(3) === 0 ? below(LATENESS_MAX) : 0,
    recorded: oneOf(RECORDED),
    client: oneOf(CLIENTS),
    alive:
      below(3) === 0
        ? { keepalive: 30 + below(86_371), kept: below(LATENESS_MAX), hasHeartbeats: below(2) === 0 }
        : UNKEPT,
    random: BigInt(below(2 ** 32)) << 32n,
  }))
}

const arbitrarySteps = (min: number) =>
  fc
    .tuple(fc.nat(), fc.oneof(fc.integer({ min, max: 20 }), fc.integer({ min: 140, max: LONG })))
    .map(([seed, count]) => stepsFrom(seed, count))

/** Non-overlapping windows by start, often adjacent, sometimes many, at any time. */
const arbitraryWindows = (min = 0): fc.Arbitrary<readonly Held[]> =>
  fc
    .tuple(
      fc.oneof(fc.integer({ min: -20, max: 10 }), fc.constantFrom(-70_000_000, 4_772_185, 9_000_000, 280_000_000)),
      arbitrarySteps(min),
    )
    .map(([from, steps]) => {
      let end = from * QUARTER
      return steps.map(({ gap, length, late, user_id, offsets, random, lateness, recorded, client, alive }, n) => {
        const start = end + gap * QUARTER + late
        end = end + (gap + length) * QUARTER
        const _id =
          (n % 7).toString(16).padStart(8, '8') +
          random.toString(16).padStart(15, '0').slice(-15) +
          (n % 16).toString(16)
        const unique = _id.slice(0, 20) + n.toString(16).padStart(4, '0')
        const [startOffset, endOffset] = offsets
        return { _id: unique, user_id, start, end, startOffset, endOffset, lateness, recorded, client, ...alive }
      })
    })

/** The windows in a random, ascending or descending order. */
const inSomeOrder = (windows: readonly Held[]): fc.Arbitrary<readonly Held[]> =>
  fc.oneof(
    fc.shuffledSubarray([...windows], { minLength: windows.length }),
    fc.constant(windows),
    fc.constant(windows.toReversed()),
  )

const calendarOf = (windows: readonly Held[]): Calendar => windows.reduce(insert, EMPTY)

/** A calendar, and its windows by start. */
const arbitraryCalendar = (): fc.Arbitrary<readonly [Calendar, readonly Held[]]> =>
  arbitraryWindows().chain((windows) => fc.tuple(inSomeOrder(windows).map(calendarOf), fc.constant(windows)))

const windowsOf = (calendar: Calendar): readonly Held[] => findEndingAfter(calendar, Number.NEGATIVE_INFINITY)

/** Moments in and around the windows of a calendar, including its edges. */
const around = (windows: readonly Held[], place: number, shift: number): number => {
  const held = windows[place % Math.max(windows.length, 1)]
  return (held === undefined ? 0 : place % 2 === 0 ? held.start : held.end) + shift
}

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

test('property: what is in the way of a window, and the next free one, are found as by trying all', (t) => {
  const times = fc.tuple(fc.nat(8), fc.nat(60), fc.nat(3))
  const quartersFrom = fc.integer({ min: -8, max: 60 })
  const property = fc.property(
    arbitraryCalendar(),
    fc.nat(400),
    quartersFrom,
    times,
    (found, place, shift, numbers) => {
      const [windows, all] = found
      const [quarters, reach, turnaround] = numbers
      const sut = { windows, values: { turnaround: turnaround * QUARTER } }
      const from = floorQuarter(around(all, place, 0)) + shift * QUARTER
      const length = (quarters + 1) * QUARTER
      const isTaken = (start: number) => (held: Held) =>
        overlaps(withTurnaround(held, sut.values.turnaround), { start, end: start + length })
      const wanted = { start: from, end: from + length }
      // A turnaround is longer than the shortest windows: not only those next to the window may be within it.
      const [before, after] = [all.findLast(({ end }) => end <= from), all.find(({ start }) => start >= wanted.end)]
      t.deepEqual(
        findInTheWay(sut, wanted, 99).map(({ held }) => held),
        all.filter((held) => overlaps(held, wanted) || ([before, after].includes(held) && isTaken(from)(held))),
      )
      const starts = Array.from({ length: reach + 1 }, (_, n) => from + n * QUARTER)
      const start = starts.find((start) => !all.some(isTaken(start)))
      const expected = start === undefined ? undefined : { start, end: start + length }
      t.deepEqual(findNextAvailable(sut, wanted, from + reach * QUARTER), expected)
    },
  )
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
    const change = { end: held.end - 1, endOffset: -60, recorded: 'start' as const }
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

test('removing windows one by one reduces the number of chunks', (t) => {
  const [any] = fc.sample(arbitraryWindows(1), { numRuns: 1, seed: 590780 })[0] as readonly [Held]
  const held = (n: number): Held => ({
    ...any,
    ...{ _id: n.toString(16).padStart(24, '0'), start: n * QUARTER, end: (n + 1) * QUARTER },
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
