import test from 'ava'
import fc from 'fast-check'
import {
  type Booked,
  clashOf,
  conflictsOf,
  extensionsOf,
  freeUntil,
  gapsOf,
  nextFree,
  overlaps,
} from '../../../src/web/timeline/calendar.ts'
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

test('the next free stretch of a length is the first that fits', (t) => {
  t.deepEqual(nextFree(HELD, time('11:00'), 60 * MINUTE), { from: time('12:00'), to: time('13:00') })
  t.deepEqual(nextFree(HELD, time('11:00'), 180 * MINUTE), { from: time('15:00'), to: time('18:00') })
})

test('extensions end at the next reservation at the latest, which is offered too', (t) => {
  const own = booked('a', '10:00', '12:00')
  t.deepEqual(extensionsOf([own, booked('b', '12:45', '13:00')], own), [time('12:15'), time('12:30'), time('12:45')])
  t.deepEqual(extensionsOf([own, booked('b', '12:00', '13:00')], own), [])
})

const stretch = fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 20 }))
/** Reservations that do not overlap, by start. */
const calendars = fc.array(stretch, { maxLength: 8 }).map(
  (parts) =>
    parts.reduce<{ at: number; all: Booked[] }>(
      ({ at, all }, [away, length], n) => {
        const from = at + (away % 12)
        return { at: from + length, all: [...all, { _id: String(n), userId: 'u', from, to: from + length }] }
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

test('the next free stretch is free, and nothing before it is long enough', (t) => {
  fc.assert(
    fc.property(calendars, fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 30 }), (all, from, length) => {
      const found = nextFree(all, from, length)
      t.deepEqual(conflictsOf(all, found), [])
      for (let start = from; start < found.from; start++)
        t.true(all.some((each) => overlaps(each, { from: start, to: start + length })))
    }),
  )
})

test('a clash is the part of what is asked for that somebody has', (t) => {
  t.deepEqual(clashOf(HELD, { from: time('13:15'), to: time('14:15') }), { from: time('14:00'), to: time('14:15') })
  t.is(clashOf(HELD, { from: time('12:00'), to: time('14:00') }), undefined)
})
