import test from 'ava'
import type { CancelReservation } from '../../../src/domain/reservation/change.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  administrator,
  alice,
  bob,
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationReleased,
  sutCreated,
  tester,
} from '../builders.ts'
import { at, records, refusal, stories } from '../given-when-then.ts'

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

test('a tester can cancel only its own reservations, an administrator any', (t) => {
  const story = given(created, made)
  t.is(refusal(story.when(cancel({ actor: tester(bob) }), '05:01')).code, 'not_your_reservation')
  t.deepEqual(story.when(cancel({ actor: administrator }), '05:01'), records(reservationCancelled(idOf(1))))
})
