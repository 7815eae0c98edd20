import test from 'ava'
import type { DataOf } from '../../../src/domain/event.ts'
import type { Failure } from '../../../src/domain/failure.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  administrator,
  alice,
  asked,
  createReservation,
  explicit,
  idOf,
  LIMITS,
  reservationCancelled,
  reservationCreated,
  reservationEnded,
  reservationExtended,
  reservationReleased,
  sutCreated,
  sutUpdated,
  wall,
} from '../builders.ts'
import { at, decided, type Past, records, refusal, stories } from '../given-when-then.ts'

/** A window begins a turnaround after the quarter-hour in which the one before it ended, or later. */

const { given } = stories(reservationDecider)
const HALF_AN_HOUR = 1_800
const created = at('05:00', sutCreated({ turnaround: HALF_AN_HOUR }))
/** 08:00 to 09:00. */
const made = at('05:00', reservationCreated(idOf(1), '08:00', '09:00'))
const second = (time: string): string => `2030-05-02T${time}+00:00`

/** The window that is reserved, or which reservations only the turnaround keeps it from, and which it overlaps. */
const told = (past: readonly Past[], start: string, end: string, now: string): string => {
  const decision = given(...past).when(createReservation(explicit(start, end), { actor: administrator }), now)
  if (decision._tag === 'Left') return inTheWay(decision.left)
  const { start_time, end_time } = decided(decision).data as DataOf<'ReservationCreated'>
  return `${start_time.slice(11, 19)} to ${end_time.slice(11, 19)}`
}
const inTheWay = ({ help }: Failure): string =>
  (help?.conflicts ?? []).map(({ _id, turnaround = false }) => `${Number(_id)}${turnaround ? ' too close' : ''}`).join()

test('a window keeps the turnaround from the reservation before it and from the one after it, whichever was made later', (t) => {
  const reserved = (start: string, end: string) => told([created, made], start, end, '05:01')
  t.is(reserved('09:30', '10:00'), '09:30:00 to 10:00:00')
  t.is(reserved('09:29:59', '10:00'), '1 too close')
  t.is(reserved('09:15', '10:00'), '1 too close')
  t.is(reserved('07:00', '07:30'), '07:00:00 to 07:30:00')
  t.is(reserved('07:00', '07:30:01'), '1 too close')
  t.is(reserved('07:00', '08:00'), '1 too close')
  t.is(reserved('07:00', '08:01'), '1')
})

test('a conflict names what overlaps and the neighbours that are too close, by start', (t) => {
  const more = [
    at('05:00', reservationCreated(idOf(2), '07:00', '07:30')),
    at('05:00', reservationCreated(idOf(3), '10:00', '11:00')),
    at('05:00', reservationCreated(idOf(4), '12:00', '13:00')),
  ]
  t.is(told([created, made, ...more], '07:45', '09:45', '05:01'), '2 too close,1,3 too close')
})

test('the refusal says what can be booked instead, in whole', (t) => {
  const more = at('05:00', reservationCreated(idOf(2), '10:15', '11:00'))
  const when = (start: string, end: string) =>
    refusal(given(created, made, more).when(createReservation(explicit(start, end)), '05:01')).help
  t.like(when('06:00', '08:00'), {
    free_until: wall('07:30'),
    next_available: { start_time: wall('11:30'), end_time: wall('13:30') },
  })
  t.like(when('09:15', '09:30'), {
    free_until: null,
    next_available: { start_time: wall('09:30'), end_time: wall('09:45') },
  })
  t.is(told([created, made, more], '09:30', '09:45', '05:01'), '09:30:00 to 09:45:00')
})

test('the turnaround begins at the real end: of a release, and not at all of a cancelled reservation', (t) => {
  const released = [created, made, at('08:20:02', reservationReleased(idOf(1), second('08:20:02')))]
  t.is(told(released, '08:45', '09:00', '08:21'), '1 too close')
  t.is(told(released, '09:00', '09:15', '08:21'), '09:00:00 to 09:15:00')
  const cancelled = [created, made, at('07:00', reservationCancelled(idOf(1)))]
  t.is(told(cancelled, '08:00', '09:00', '07:01'), '08:00:00 to 09:00:00')
})

test('the turnaround lasts also once the end of the reservation is recorded', (t) => {
  const ended = [created, made, at('09:00', reservationEnded(idOf(1), '2030-05-02T09:00:00.000Z'))]
  t.is(told(ended, '09:15', '09:30', '09:15:30'), '1 too close')
  t.is(told(ended, '09:30', '09:45', '09:15:30'), '09:30:00 to 09:45:00')
})

test('another turnaround judges only new decisions', (t) => {
  const without = [at('05:00', sutCreated()), made, at('05:01', reservationCreated(idOf(2), '09:00', '10:00'))]
  const raised = [...without, at('05:02', sutUpdated({ turnaround: HALF_AN_HOUR }))]
  t.is(told(raised, '10:15', '11:00', '05:03'), '2 too close')
  t.is(
    told([...raised, at('05:03', sutUpdated({ turnaround: 900 }))], '10:15', '11:00', '05:04'),
    '10:15:00 to 11:00:00',
  )
  t.is(told([...raised, at('05:03', sutUpdated({ turnaround: 0 }))], '10:00', '11:00', '05:04'), '10:00:00 to 11:00:00')
})

test('a release without a turnaround lets the next window begin when it ended, and with one it does not', (t) => {
  const past = [made, at('08:20:02', reservationReleased(idOf(1), second('08:20:02')))]
  t.is(told([at('05:00', sutCreated()), ...past], '08:15', '08:45', '08:21'), '08:20:02 to 08:45:00')
  t.is(told([created, ...past], '08:15', '08:45', '08:21'), '1 too close')
})

test('an extension keeps the turnaround from the next reservation, and says until when it may last', (t) => {
  const next = at('05:00', reservationCreated(idOf(2), '10:00', '11:00'))
  const extend = (end: string, past: readonly Past[] = [created, made, next]) =>
    given(...past).when(
      {
        ...{ type: 'ExtendReservation', actor: administrator, _id: idOf(1), user_id: alice, documentStatus: 'made' },
        ...{ end: asked(end), limits: LIMITS },
      },
      '05:01',
    )
  t.deepEqual(extend('09:30'), records(reservationExtended(idOf(1), wall('09:30'))))
  const late = refusal(extend('09:31'))
  t.is(inTheWay(late), '2 too close')
  t.is(late.help?.extendable_until, wall('09:30'))
  t.is(inTheWay(refusal(extend('10:01'))), '2')
  const raised = [created, made, next, at('05:00', sutUpdated({ turnaround: 7_200 }))]
  t.is(refusal(extend('09:15', raised)).help?.extendable_until, null)
})
