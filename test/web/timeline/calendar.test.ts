import test from 'ava'
import fc from 'fast-check'
import {
  type Booked,
  clashOf,
  conflictsOf,
  earlierEnds,
  extensionsOf,
  freeUntil,
  gapsOf,
  takenBy,
} from '../../../src/web/features/schedule/calendar.ts'
import { booked, MINUTE, time } from './times.ts'

const HELD = [booked('a', '10:00', '12:00'), booked('b', '14:00', '15:00')]

test('what is free from a time on ends where the next reservation begins', (t) => {
  t.is(freeUntil(HELD, time('12:30')), time('14:00'))
  t.is(freeUntil(HELD, time('12:00')), time('14:00'))
  t.is(freeUntil(HELD, time('11:59')), undefined)
  t.is(freeUntil(HELD, time('15:00')), Number.POSITIVE_INFINITY)
})

test('the gaps of a span are what nobody has, from a time on', (t) => {
  const span = { from: time('08:00'), to: time('18:00') }
  t.deepEqual(gapsOf(HELD, span, time('11:00')), [
    { from: time('12:00'), to: time('14:00') },
    { from: time('15:00'), to: time('18:00') },
  ])
})

test('extensions end at the next reservation at the latest, which is offered too', (t) => {
  const own = booked('a', '10:00', '12:00')
  t.deepEqual(extensionsOf(takenBy([own, booked('b', '12:45', '13:00')], 0), own), [
    time('12:15'),
    time('12:30'),
    time('12:45'),
  ])
  t.deepEqual(extensionsOf(takenBy([own, booked('b', '12:00', '13:00')], 0), own), [])
})

const stretch = fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 20 }))
/** Reservations that do not overlap, by start. */
const calendars = fc.array(stretch, { maxLength: 8 }).map(
  (parts) =>
    parts.reduce<{ at: number; all: Booked[] }>(
      ({ at, all }, [away, length], n) => {
        const from = at + (away % 12)
        return {
          at: from + length,
          all: [...all, { _id: String(n), userId: 'u', from, to: from + length, ends: from + length }],
        }
      },
      { at: 0, all: [] },
    ).all,
)

test('gaps and reservations cover a span without overlap, whatever is booked', (t) => {
  fc.assert(
    fc.property(calendars, fc.integer({ min: 0, max: 150 }), (all, since) => {
      const span = { from: 0, to: 200 }
      const gaps = gapsOf(all, span, since)
      for (const gap of gaps) t.deepEqual(conflictsOf(all, gap), [])
      const held = all.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, since)), 0)
      const free = gaps.reduce((sum, { from, to }) => sum + to - from, 0)
      t.is(held + free, 200 - since)
    }),
  )
})

const TURNAROUND = 30 * MINUTE

test('a turnaround is taken on either side of a reservation, after it from the next quarter on', (t) => {
  const released = { ...booked('a', '10:00', '11:15'), ends: time('11:15') + 20_000 }
  const [taken] = takenBy([released], TURNAROUND)
  t.deepEqual(taken, { held: released, from: time('09:30'), to: time('12:00') })
  t.deepEqual(takenBy([released], 0), [{ held: released, from: released.from, to: released.to }])
})

test('what is called free can be booked whole, whatever is booked and however long the turnaround is', (t) => {
  const quarter = 15 * MINUTE
  const inQuarters = (all: readonly Booked[]): readonly Booked[] =>
    all.map(({ _id, userId, from, to }) => {
      return { _id, userId, from: from * quarter, to: to * quarter, ends: to * quarter }
    })
  fc.assert(
    fc.property(calendars, fc.integer({ min: 0, max: 4 }), (some, quarters) => {
      const [all, turnaround] = [inQuarters(some), quarters * quarter]
      const gaps = gapsOf(takenBy(all, turnaround), { from: 0, to: 200 * quarter }, 0)
      for (let n = 0; n < 200; n++) {
        const at = { from: n * quarter, to: (n + 1) * quarter }
        const isFree = all.every(({ from, to }) => at.from >= to + turnaround || at.to + turnaround <= from)
        t.is(
          gaps.some(({ from, to }) => from <= at.from && at.to <= to),
          isFree,
        )
      }
    }),
  )
})

test('a reservation may be shortened to ends that lie ahead, the earliest one too', (t) => {
  const own = booked('a', '10:00', '12:00')
  const ends = (now: string, most?: number) => earlierEnds(own, time(now), most)
  t.deepEqual(ends('08:00'), [time('10:15'), time('11:00'), time('11:30'), time('11:45')])
  t.deepEqual(ends('10:45'), [time('11:00'), time('11:30'), time('11:45')])
  t.deepEqual(ends('11:32'), [time('11:45')])
  t.deepEqual(ends('11:45'), [])
  t.deepEqual(earlierEnds(booked('b', '10:00', '10:15'), time('08:00')), [])
})

test('extensions leave the next reservation its turnaround', (t) => {
  const own = booked('a', '10:00', '12:00')
  const taken = takenBy([own, booked('b', '13:00', '14:00')], TURNAROUND)
  t.deepEqual(extensionsOf(taken, own), [time('12:15'), time('12:30')])
  // A turnaround that was raised later judges only new decisions.
  t.deepEqual(extensionsOf(takenBy([own, booked('b', '12:15', '13:00')], TURNAROUND), own), [])
})

test('a clash is the part of what is asked for that somebody has', (t) => {
  t.deepEqual(clashOf(HELD, { from: time('13:15'), to: time('14:15') }), { from: time('14:00'), to: time('14:15') })
  t.is(clashOf(HELD, { from: time('12:00'), to: time('14:00') }), undefined)
})
