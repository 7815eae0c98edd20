import test from 'ava'
import { findEndingAfter } from '../../../src/domain/calendar/calendar.ts'
import type { CancelReservation } from '../../../src/domain/reservation/cancel.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { lengthOf } from '../../../src/domain/values/sorted-list.ts'
import {
  administrator,
  alice,
  bob,
  createReservation,
  explicit,
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationReleased,
  sutCreated,
  sutRetired,
  sutUpdated,
  tester,
  wall,
} from '../builders.ts'
import { at, decided, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
const made = at('05:00', reservationCreated(idOf(1), '2030-05-02T08:00:00+02:00', '2030-05-02T03:30:00-03:30'))
const cancel = (more: Partial<CancelReservation> = {}): CancelReservation => ({
  type: 'CancelReservation',
  actor: tester(alice),
  _id: idOf(1),
  user_id: alice,
  documentStatus: 'made',
  ...more,
})
const releasedAt = (time: string) => records(reservationReleased(idOf(1), `2030-05-02T${time}-03:30`))

test('a reservation is cancelled up to the last millisecond before its start', (t) => {
  t.deepEqual(given(created, made).when(cancel(), '05:01'), records(reservationCancelled(idOf(1))))
  t.deepEqual(given(created, made).when(cancel(), '05:59:59.999'), records(reservationCancelled(idOf(1))))
})

test('a running reservation is released at the next whole second, in the offset of its end', (t) => {
  const story = given(created, made)
  t.deepEqual(story.when(cancel(), '06:10'), releasedAt('02:40:00'))
  t.deepEqual(story.when(cancel(), '06:10:00.001'), releasedAt('02:40:01'))
  t.deepEqual(story.when(cancel(), '06:10:00.999'), releasedAt('02:40:01'))
  t.deepEqual(story.when(cancel(), '06:59:59.001'), releasedAt('03:30:00'))
})

test('a reservation released at its start lasts one second', (t) => {
  t.deepEqual(given(created, made).when(cancel(), '06:00'), releasedAt('02:30:01'))
  t.deepEqual(given(created, made).when(cancel(), '06:00:00.001'), releasedAt('02:30:01'))
  t.deepEqual(given(created, made).when(cancel(), '06:00:01.001'), releasedAt('02:30:02'))
})

test('a past reservation can be neither cancelled nor released', (t) => {
  t.is(refusal(given(created, made).when(cancel(), '07:00')).code, 'reservation_over')
  const forgotten = given(created, made, at('07:30', sutUpdated({ name: 'new name' })))
  t.is(refusal(forgotten.when(cancel(), '07:30')).code, 'reservation_over')
  const retired = given(created, made, at('07:30', sutRetired()))
  t.is(refusal(retired.when(cancel(), '07:30')).code, 'reservation_over')
})

test('cancelling a cancelled or released reservation records nothing', (t) => {
  const cancelled = given(created, made, at('05:01', reservationCancelled(idOf(1))))
  t.deepEqual(cancelled.when(cancel({ documentStatus: 'cancelled' }), '05:02'), records())
  t.deepEqual(cancelled.when(cancel({ documentStatus: 'cancelled' }), '08:00'), records(), 'also after its end')
  const released = given(created, made, at('06:10', reservationReleased(idOf(1), wall('06:10'))))
  t.deepEqual(released.when(cancel({ documentStatus: 'released' }), '06:11'), records())
})

test('a tester can cancel only its own reservations, an administrator any', (t) => {
  const story = given(created, made)
  t.is(refusal(story.when(cancel({ actor: tester(bob) }), '05:01')).code, 'not_your_reservation')
  t.deepEqual(story.when(cancel({ actor: administrator }), '05:01'), records(reservationCancelled(idOf(1))))
})

test('a tester without permission is refused whatever the state of the reservation', (t) => {
  const actor = tester(bob)
  t.is(refusal(given(created, made).when(cancel({ actor }), '08:00')).code, 'not_your_reservation')
  const cancelled = given(created, made, at('05:01', reservationCancelled(idOf(1))))
  t.is(refusal(cancelled.when(cancel({ actor, documentStatus: 'cancelled' }), '05:02')).code, 'not_your_reservation')
})

test('reservations of an inactive SUT remain and can be cancelled', (t) => {
  const story = given(created, made, at('05:01', sutUpdated({ is_active: false })))
  t.is(lengthOf(story.state.windows), 1)
  t.deepEqual(story.when(cancel(), '05:02'), records(reservationCancelled(idOf(1))))
  t.deepEqual(story.when(cancel(), '06:10'), releasedAt('02:40:00'))
})

test('a cancellation leaves other reservations of the SUT unchanged', (t) => {
  const story = given(
    created,
    made,
    at('05:00', reservationCreated(idOf(2), '07:00', '08:00', bob)),
    at('05:01', reservationCancelled(idOf(1))),
  )
  t.deepEqual(
    findEndingAfter(story.state.windows, 0).map(({ _id }) => _id),
    [idOf(2)],
  )
  const again = story.when(createReservation(explicit('06:00', '07:00')), '05:02')
  t.is(decided(again).type, 'ReservationCreated')
  t.is(refusal(story.when(createReservation(explicit('06:00', '07:15')), '05:02')).code, 'reservation_conflict')
})

test('cancelling on a missing SUT is refused', (t) => {
  t.is(refusal(given().when(cancel(), '05:00')).code, 'sut_not_found')
})
