import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { ShortenReservation } from '../../../src/domain/reservation/shorten.ts'
import {
  alice,
  asked,
  bob,
  createReservation,
  explicit,
  idOf,
  reservationCancelled,
  reservationCreated,
  reservationReleased,
  reservationShortened,
  sutCreated,
  sutUpdated,
  tester,
  wall,
} from '../builders.ts'
import { at, decided, type Past, records, refusal, stories, whyRefused } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
/** 06:00 to 07:00 UTC. */
const made = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'))
const withReservation = (...more: readonly Past[]) => given(at('05:00', sutCreated()), made, ...more)

const shorten = (end: ShortenReservation['end'], more: Partial<ShortenReservation> = {}): ShortenReservation => ({
  type: 'ShortenReservation',
  actor: tester(alice),
  _id: idOf(1),
  user_id: alice,
  documentStatus: 'made',
  end,
  ...more,
})

test('a reservation is shortened to an earlier end on the grid, before it begins and while it runs', (t) => {
  const to = (end_time: string) => records(reservationShortened(idOf(1), end_time))
  t.deepEqual(withReservation().when(shorten(asked('06:30')), '05:01'), to(wall('06:30')))
  t.deepEqual(withReservation().when(shorten(asked('06:16', 60)), '05:01'), to(wall('07:30', '+01:00')))
  t.deepEqual(withReservation().when(shorten(asked('06:30')), '06:29:59.999'), to(wall('06:30')))
  const inactive = at('05:01', sutUpdated({ is_active: false }))
  t.deepEqual(withReservation(inactive).when(shorten(asked('06:30')), '05:02'), to(wall('06:30')), 'nothing is taken')
})

test('shortening to the current end records nothing', (t) => {
  t.deepEqual(withReservation().when(shorten(asked('07:00', 60)), '05:01'), records())
  t.deepEqual(withReservation().when(shorten(asked('06:45:01')), '05:01'), records(), 'on the grid')
})

test('an end that is not earlier, has passed, or comes before the start is refused', (t) => {
  const why = (end: string, now: string) => whyRefused(withReservation().when(shorten(asked(end)), now))
  t.deepEqual(why('07:00:01', '05:01'), ['end_not_earlier', 'end_not_earlier end_time'])
  t.deepEqual(why('06:30', '06:30'), ['end_not_later_than_now', 'end_not_later_than_now end_time'])
  t.deepEqual(why('06:29', '06:29:30'), ['end_not_later_than_now', 'end_not_later_than_now end_time'])
  t.deepEqual(why('06:00', '05:01'), ['window_empty', 'window_empty end_time'])
  t.deepEqual(why('05:30', '05:01'), ['window_empty', 'window_empty end_time'])
})

test('others, and reservations that are over or cancelled, are refused as for an extension', (t) => {
  const code = (story: ReturnType<typeof given>, more: Partial<ShortenReservation>, now = '05:02') =>
    refusal(story.when(shorten(asked('06:30'), more), now)).code
  t.is(code(withReservation(), { actor: tester(bob) }), 'not_your_reservation')
  t.is(code(withReservation(), {}, '07:00'), 'reservation_over')
  const released = withReservation(at('06:10', reservationReleased(idOf(1), wall('06:10'))))
  t.is(code(released, { documentStatus: 'released' }, '06:11'), 'reservation_over')
  const cancelled = withReservation(at('05:01', reservationCancelled(idOf(1))))
  t.is(code(cancelled, { documentStatus: 'cancelled' }), 'reservation_cancelled')
})

test('what a shorter reservation frees is free at once, but for the turnaround', (t) => {
  const shortened = at('05:01', reservationShortened(idOf(1), wall('06:30')))
  const wanted = createReservation(explicit('06:30', '07:00'))
  t.is(decided(withReservation(shortened).when(wanted, '05:02')).type, 'ReservationCreated')
  const turnaround = at('05:00', sutUpdated({ turnaround: 900 }))
  t.is(refusal(withReservation(turnaround, shortened).when(wanted, '05:02')).code, 'reservation_conflict')
  const later = createReservation(explicit('06:45', '07:00'))
  t.is(decided(withReservation(turnaround, shortened).when(later, '05:02')).type, 'ReservationCreated')
})
