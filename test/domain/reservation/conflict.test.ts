import test from 'ava'
import type { Failure } from '../../../src/domain/failure.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  alice,
  bob,
  createReservation,
  explicit,
  idOf,
  LIMITS,
  reservationCancelled,
  reservationCreated,
  reservationExtended,
  reservationReleased,
  sutCreated,
  tester,
  wall,
} from '../builders.ts'
import { at, decided, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
const reserve = createReservation
const sixToSeven = explicit('06:00', '07:00')

const conflictIds = (failure: Failure) => failure.help?.conflicts?.map(({ _id }) => _id)

test('reservations may share an edge', (t) => {
  const story = given(
    created,
    at('05:00', reservationCreated(idOf(1), '05:00', '06:00')),
    at('05:00', reservationCreated(idOf(2), '07:00', '08:00')),
  )
  t.is(decided(story.when(reserve(sixToSeven), '05:01')).type, 'ReservationCreated')
})

test('an overlapping window is refused for any user, naming the conflict and the next free window', (t) => {
  const taken = reservationCreated(idOf(1), '2030-05-02T09:00:00+02:00', '2030-05-02T03:30:00-04:00', bob)
  const wanted = explicit('06:45', '07:10', 60, 0)
  for (const user_id of [alice, bob]) {
    const story = given(created, at('05:00', taken))
    const { code, help } = refusal(story.when(reserve(wanted, { user_id, actor: tester(user_id) }), '05:01'))
    t.is(code, 'reservation_conflict')
    t.deepEqual(help, {
      conflicts: [
        { _id: idOf(1), user_id: bob, start_time: wall('09:00', '+02:00'), end_time: wall('03:30', '-04:00') },
      ],
      free_until: wall('08:00', '+01:00'),
      next_available: { start_time: wall('08:30', '+01:00'), end_time: wall('09:00', '+01:00') },
    })
  }
})

test('a window is refused if it overlaps by one quarter on the grid', (t) => {
  const story = given(created, at('05:00', reservationCreated(idOf(1), '06:15', '06:45')))
  for (const [start, end] of [
    ['06:00', '06:15:01'],
    ['06:44:59', '07:00'],
    ['06:00', '07:00'],
    ['06:30', '06:45'],
  ] as const) {
    t.deepEqual(conflictIds(refusal(story.when(reserve(explicit(start, end)), '05:01'))), [idOf(1)], `${start} ${end}`)
  }
})

test('the next free window skips taken windows and gaps that are too short', (t) => {
  const story = given(
    created,
    at('05:00', reservationCreated(idOf(1), '06:00', '07:00')),
    at('05:00', reservationCreated(idOf(2), '07:45', '09:00')),
    at('05:00', reservationCreated(idOf(3), '10:00', '11:00')),
  )
  const next = (start: string, end: string) =>
    refusal(story.when(reserve(explicit(start, end)), '05:01')).help?.next_available
  t.deepEqual(next('06:00', '06:45'), { start_time: wall('07:00'), end_time: wall('07:45') })
  t.deepEqual(next('06:00', '06:50'), { start_time: wall('09:00'), end_time: wall('10:00') })
  t.deepEqual(next('06:00', '07:01'), { start_time: wall('11:00'), end_time: wall('12:15') })
  t.deepEqual(next('08:30', '08:45'), { start_time: wall('09:00'), end_time: wall('09:15') })
})

test('free_until is where what is free from the start on the grid ends, and null if that is taken', (t) => {
  const story = given(
    created,
    at('05:00', reservationCreated(idOf(1), '06:15', '07:00')),
    at('05:00', reservationCreated(idOf(2), '08:00', '09:00')),
  )
  const until = (start: string, end: string) =>
    refusal(story.when(reserve(explicit(start, end)), '05:01')).help?.free_until
  t.is(until('06:00', '06:30'), wall('06:15'))
  t.is(until('06:14', '06:16'), wall('06:15'))
  t.is(until('06:15', '06:30'), null)
  t.is(until('06:29', '08:30'), null)
  t.is(until('07:00', '09:30'), wall('08:00'))
})

test('next_available is null if no window starts within the horizon', (t) => {
  const story = given(created, at('05:00', reservationCreated(idOf(1), '06:00', '07:00')))
  const hours = (horizon: number) =>
    refusal(story.when(reserve(sixToSeven, { limits: { ...LIMITS, horizon: horizon * 3_600_000 } }), '05:00')).help
  t.deepEqual(hours(2)?.next_available, { start_time: wall('07:00'), end_time: wall('08:00') })
  t.is(hours(1.999)?.next_available, null)
})

test('a refusal names at most the first hundred conflicts, by start', (t) => {
  const count = 120
  const quarter = (i: number) => new Date(Date.UTC(2030, 4, 3) + i * 900_000).toISOString().replace('.000Z', '+00:00')
  const taken = Array.from({ length: count }, (_, i) =>
    at('05:00', reservationCreated(idOf(i), quarter(i), quarter(i + 1))),
  )
  const wanted = explicit(quarter(10), quarter(count))
  const failure = refusal(given(created, ...taken.reverse()).when(reserve(wanted), '05:01'))
  t.deepEqual(
    conflictIds(failure),
    Array.from({ length: 100 }, (_, i) => idOf(i + 10)),
  )
  t.is(failure.help?.next_available?.start_time, quarter(count))
})

test('cancelled and released time is free, including the rest of the current quarter', (t) => {
  const story = given(
    created,
    at('05:00', reservationCreated(idOf(1), '05:00', '06:00')),
    at('05:00', reservationCreated(idOf(2), '06:00', '07:00')),
    at('05:05', reservationReleased(idOf(1), wall('05:05'))),
    at('05:05', reservationCancelled(idOf(2))),
  )
  t.like(decided(story.when(reserve(explicit('05:06', '07:00')), '05:06')).data, {
    start_time: wall('05:05'),
    end_time: wall('07:00'),
  })
})

test('an extended reservation holds the added time', (t) => {
  const before = [created, at('05:00', reservationCreated(idOf(1), '05:00', '06:00'))]
  const story = given(...before, at('05:01', reservationExtended(idOf(1), '2030-05-02T08:30:00+02:00')))
  const failure = refusal(story.when(reserve(explicit('06:15', '06:30')), '05:02'))
  t.like(failure.help?.conflicts?.[0], { _id: idOf(1), start_time: wall('05:00'), end_time: wall('08:30', '+02:00') })
})
