import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  createReservation,
  explicit,
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationReleased,
  sutCreated,
} from '../builders.ts'
import { at, decided, refusal, stories } from '../given-when-then.ts'

/** A window begins a turnaround after the quarter-hour in which the one before it ended, or later. */

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated({ turnaround: 1_800 }))
/** 08:00 to 09:00. */
const made = at('05:00', reservationCreated(idOf(1), '08:00', '09:00'))

test('the turnaround begins at the real end: of a release, and not at all of a cancelled reservation', (t) => {
  const released = given(created, made, at('08:20:02', reservationReleased(idOf(1), '2030-05-02T08:20:02+00:00')))
  const { help } = refusal(released.when(createReservation(explicit('08:45', '09:00')), '08:21'))
  t.like(help?.conflicts, [{ _id: idOf(1), turnaround: true }])
  t.is(decided(released.when(createReservation(explicit('09:00', '09:15')), '08:21')).type, 'ReservationCreated')
  const cancelled = given(created, made, at('07:00', reservationCancelled(idOf(1))))
  t.is(decided(cancelled.when(createReservation(explicit('08:00', '09:00')), '07:01')).type, 'ReservationCreated')
})
