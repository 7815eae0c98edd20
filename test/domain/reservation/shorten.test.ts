import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { ShortenReservation } from '../../../src/domain/reservation/shorten.ts'
import { alice, asked, idOf, reservationCreated, sutCreated, tester } from '../builders.ts'
import { at, type Past, stories, whyRefused } from '../given-when-then.ts'

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

test('an end that is not earlier, has passed, or comes before the start is refused', (t) => {
  const why = (end: string, now: string) => whyRefused(withReservation().when(shorten(asked(end)), now))
  t.deepEqual(why('07:00:01', '05:01'), ['end_not_earlier', 'end_not_earlier end_time'])
  t.deepEqual(why('06:30', '06:30'), ['end_not_later_than_now', 'end_not_later_than_now end_time'])
  t.deepEqual(why('06:29', '06:29:30'), ['end_not_later_than_now', 'end_not_later_than_now end_time'])
  t.deepEqual(why('06:00', '05:01'), ['window_empty', 'window_empty end_time'])
  t.deepEqual(why('05:30', '05:01'), ['window_empty', 'window_empty end_time'])
})
