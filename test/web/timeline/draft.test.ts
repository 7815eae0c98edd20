import test from 'ava'
import { takenBy } from '../../../src/web/features/schedule/calendar.ts'
import {
  clashOfDraft,
  draftAt,
  draftBetween,
  dragEdge,
  dragEnd,
  lastsOf,
  lengthsFrom,
  moveLength,
  moveStart,
  parseStart,
  windowOf,
} from '../../../src/web/features/schedule/draft.ts'
import { announced } from '../../../src/web/screens/schedule/grid/drawn.ts'
import { booked, MINUTE, time } from './times.ts'

const HELD = takenBy([booked('a', '10:00', '12:00'), booked('b', '14:00', '15:00')], 0)

test('what will be held is what was asked for, widened to quarters, now too', (t) => {
  const draft = { sutId: 's', start: time('13:15'), length: 20 * MINUTE }
  t.deepEqual(windowOf(draft, time('10:42'), []), { from: time('13:15'), to: time('13:45') })
  const now = { sutId: 's', start: 'now' as const, length: 60 * MINUTE }
  t.deepEqual(windowOf(now, time('10:42'), []), { from: time('10:30'), to: time('11:45') })
  const released = [booked('a', '09:00', '10:37')]
  t.deepEqual(windowOf(now, time('10:42'), released), { from: time('10:37'), to: time('11:45') }, 'the rest was held')
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

test('an edge of a draft is dragged up to the neighbours, and never past the other edge', (t) => {
  const now = time('08:00')
  const draft = { sutId: 's', start: time('12:30'), length: 30 * MINUTE }
  t.deepEqual(dragEdge(draft, 'end', time('13:45'), HELD, now), { ...draft, length: 75 * MINUTE })
  t.deepEqual(dragEdge(draft, 'end', time('16:00'), HELD, now), { ...draft, length: 90 * MINUTE })
  t.deepEqual(dragEdge(draft, 'end', time('09:00'), HELD, now), { ...draft, length: 15 * MINUTE })
  t.deepEqual(dragEdge(draft, 'start', time('12:15'), HELD, now), {
    ...draft,
    start: time('12:15'),
    length: 45 * MINUTE,
  })
  t.is(dragEdge(draft, 'start', time('08:30'), HELD, now).start, time('12:00'))
  t.deepEqual(dragEdge(draft, 'start', time('15:00'), HELD, now), {
    ...draft,
    start: time('12:45'),
    length: 15 * MINUTE,
  })
})

test('a start that is dragged into the past is now, with the same end', (t) => {
  const now = time('12:37')
  const draft = { sutId: 's', start: time('13:00'), length: 30 * MINUTE }
  t.deepEqual(dragEdge(draft, 'start', time('12:15'), HELD, now), { sutId: 's', start: 'now', length: 48 * MINUTE })
})

test('the end of a reservation is dragged later up to the next one, and earlier to what lies ahead', (t) => {
  const own = booked('a', '10:00', '12:00')
  t.is(dragEnd(own, time('12:45'), HELD, time('10:07')), time('12:45'))
  t.is(dragEnd(own, time('14:30'), HELD, time('10:07')), time('14:00'))
  t.is(dragEnd(own, time('11:00'), HELD, time('10:07')), time('11:00'))
  t.is(dragEnd(own, time('10:00'), HELD, time('10:37')), time('10:45'))
  t.is(dragEnd(own, time('09:00'), HELD, time('08:00')), time('10:15'))
  t.is(dragEnd(own, time('10:00'), HELD, time('11:50')), own.to, 'its last quarter is running')
})

test('a draft in conflict offers to end before it or to start earlier, where that is free', (t) => {
  const draft = { sutId: 's', start: time('13:15'), length: 60 * MINUTE }
  const clash = clashOfDraft(draft, HELD, time('08:00'))
  t.is(clash?.with._id, 'b')
  t.is(clash?.isTurnaround, false)
  t.is(clash?.shorter?.length, 45 * MINUTE)
  t.is(clash?.earlier?.start, time('13:00'))
  t.is(clashOfDraft({ ...draft, length: 180 * MINUTE }, HELD, time('08:00'))?.earlier, undefined)
})

test('a draft keeps the turnaround from its neighbours, and says whose it is', (t) => {
  const taken = takenBy([booked('a', '10:00', '12:00'), booked('b', '14:00', '15:00')], 30 * MINUTE)
  const now = time('08:00')
  t.deepEqual(draftBetween('s', time('12:30'), time('14:40'), taken, now), {
    ...{ sutId: 's', start: time('12:30'), length: 60 * MINUTE },
  })
  const late = clashOfDraft({ sutId: 's', start: time('13:15'), length: 30 * MINUTE }, taken, now)
  t.like(late, { with: { _id: 'b' }, isTurnaround: true, shorter: { length: 15 * MINUTE } })
  t.is(late?.earlier?.start, time('13:00'))
  const early = clashOfDraft(draftAt('s', time('12:15'), taken, now), taken, now)
  t.like(early, { with: { _id: 'a' }, taken: { to: time('12:30') }, isTurnaround: true, shorter: undefined })
  t.false(clashOfDraft({ sutId: 's', start: time('13:15'), length: 60 * MINUTE }, taken, now)?.isTurnaround)
  const own = booked('a', '10:00', '12:00')
  t.is(dragEnd(own, time('14:30'), taken, now), time('13:30'))
})

test('a start moves by quarters, and before the next quarter it is now', (t) => {
  const draft = { sutId: 's', start: 'now' as const, length: 60 * MINUTE }
  const later = moveStart(draft, 1, time('10:42'))
  t.is(later.start, time('10:45'))
  t.is(moveStart(later, -1, time('10:42')).start, 'now')
})

test('what is drawn from now to an end ends there, also when it is sent some minutes later', (t) => {
  const now = time('13:33')
  const untilTaken = draftAt('s', now, HELD, now)
  const dragged = draftBetween('s', now, time('14:00'), HELD, now)
  const shorter = clashOfDraft({ ...untilTaken, length: 60 * MINUTE }, HELD, now)?.shorter
  for (const draft of [untilTaken, dragged, shorter])
    for (const minutes of [0, 4])
      t.is(draft && windowOf(draft, now + minutes * MINUTE, HELD).to, time('14:00'), `${draft?.length} ${minutes}`)
  t.is(lastsOf(untilTaken, now), 27 * MINUTE)
  t.is(lastsOf(untilTaken, now + 40_000), 27 * MINUTE, 'from 13:33 to 14:00, as one reads it')
  const { from, to } = windowOf(untilTaken, now, [])
  t.is(announced({ from, to }, HELD, now), '13:33 to 14:00, free')
  t.is(windowOf(moveLength(untilTaken, 1, now), now, HELD).to, time('14:15'))
  const soon = draftAt('s', time('13:57'), HELD, time('13:57'))
  t.is(windowOf(soon, time('13:58'), HELD).to, time('14:00'))
})

test('lengths lead to the evening, the next morning and that of Monday too', (t) => {
  const at = (date: number, hours: number): number => new Date(2026, 10, date, hours).getTime()
  const ends = (start: number) => lengthsFrom({ start }, 0).flatMap(({ end }) => end ?? [])
  // A Friday, and a Sunday.
  t.deepEqual(ends(at(27, 13)), [at(27, 18), at(28, 9), at(30, 9)])
  t.deepEqual(ends(at(29, 17)), [at(30, 9)])
})

test('a start may be typed in several ways', (t) => {
  const [day, now] = [time('13:00'), time('08:00')]
  t.is(parseStart('9', day, now), time('09:00'))
  for (const half of ['930', '9:30', '9.30', '9:37']) t.is(parseStart(half, day, now), time('09:30'), half)
  t.is(parseStart(' Now', day, now), 'now')
  for (const wrong of ['25', '9:75', 'noon', '1234567']) t.is(parseStart(wrong, day, now), undefined, wrong)
})

test('a time may be typed with its weekday, its date, or both', (t) => {
  // A Friday.
  const day = new Date(2026, 10, 27, 13).getTime()
  const at = (date: number, hours: number, month = 10): number => new Date(2026, month, date, hours).getTime()
  const meant: readonly (readonly [string, number | undefined])[] = [
    ['Mon 10', at(30, 10)],
    ['monday 10:00', at(30, 10)],
    ['Fri 14:00', at(27, 14)],
    ['Fri 12:00', at(34, 12)],
    ['30 Nov 10:00', at(30, 10)],
    ['Mon 30 Nov 10:00', at(30, 10)],
    ['2 Jan 9', at(2, 9, 12)],
    ...['Sun 30 Nov 10:00', '31 Nov 10:00', '30 Foo 10:00', 'Foo 10:00', '30 Nov'].map(
      (text) => [text, undefined] as const,
    ),
  ]
  for (const [text, time] of meant) t.is(parseStart(text, day, day), time, text)
})

test('a time of day that is over is that of the next day, unless its quarter is now', (t) => {
  t.is(parseStart('930', time('13:00'), time('11:05')), time('09:30') + 24 * 60 * MINUTE)
  t.is(parseStart('11', time('13:00'), time('11:05')), time('11:00'))
})
