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
import {
  clashOfDraft,
  draftAt,
  draftBetween,
  moveStart,
  parseStart,
  windowOf,
} from '../../../src/web/timeline/draft.ts'
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

test('what will be held is what was asked for, widened to quarters; now starts at once', (t) => {
  const draft = { sutId: 's', start: time('13:15'), length: 20 * MINUTE }
  t.deepEqual(windowOf(draft, time('10:42')), { from: time('13:15'), to: time('13:45') })
  const now = { sutId: 's', start: 'now' as const, length: 60 * MINUTE }
  t.deepEqual(windowOf(now, time('10:42')), { from: time('10:42'), to: time('11:45') })
})

test('a click into free time asks for an hour, or as much as is free', (t) => {
  t.deepEqual(draftAt('s', time('12:37'), HELD, time('12:00')), {
    sutId: 's',
    start: time('12:30'),
    length: 60 * MINUTE,
  })
  t.is(draftAt('s', time('13:30'), HELD, time('12:00')).length, 30 * MINUTE)
  t.is(draftAt('s', time('12:31'), HELD, time('12:37')).start, 'now')
})

test('a drag stops at its neighbour and goes either way', (t) => {
  const now = time('08:00')
  const asked = { sutId: 's', start: time('12:30'), length: 90 * MINUTE }
  t.deepEqual(draftBetween('s', time('12:30'), time('14:40'), HELD, now), asked)
  t.deepEqual(draftBetween('s', time('14:00'), time('12:30'), HELD, now), asked)
})

test('a draft in conflict offers to end before it or to start earlier, where that is free', (t) => {
  const draft = { sutId: 's', start: time('13:15'), length: 60 * MINUTE }
  const clash = clashOfDraft(draft, HELD, time('08:00'))
  t.is(clash?.with._id, 'b')
  t.is(clash?.shorter?.length, 45 * MINUTE)
  t.is(clash?.earlier?.start, time('13:00'))
  t.is(clashOfDraft({ ...draft, length: 180 * MINUTE }, HELD, time('08:00'))?.earlier, undefined)
})

test('a start moves by quarters, and before the next quarter it is now', (t) => {
  const draft = { sutId: 's', start: 'now' as const, length: 60 * MINUTE }
  const later = moveStart(draft, 1, time('10:42'))
  t.is(later.start, time('10:45'))
  t.is(moveStart(later, -1, time('10:42')).start, 'now')
})

test('a start may be typed in several ways', (t) => {
  const day = time('13:00')
  t.is(parseStart('9', day), time('09:00'))
  t.is(parseStart('930', day), time('09:30'))
  t.is(parseStart('9:37', day), time('09:30'))
  t.is(parseStart(' Now', day), 'now')
  for (const wrong of ['25', '9:75', 'noon', '1234567']) t.is(parseStart(wrong, day), undefined, wrong)
})
