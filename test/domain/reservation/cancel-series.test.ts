import test from 'ava'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { CancelSeries } from '../../../src/domain/reservation/series.ts'
import { alice, bob, idOf, reservationCancelled, reservationCreated, sutCreated, tester } from '../builders.ts'
import { at, records, stories, whyRefused } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const past = [
  at('05:00', sutCreated()),
  at('05:00', reservationCreated(idOf(1), '06:00', '07:00')),
  at('05:00', reservationCreated(idOf(2), '08:00', '09:00')),
  at('05:00', reservationCreated(idOf(3), '10:00', '11:00')),
  at('05:00', reservationCreated(idOf(4), '12:00', '13:00')),
]
const cancel = (actor = tester(alice)): CancelSeries => ({
  type: 'CancelSeries',
  actor,
  user_id: alice,
  reservationIds: [1, 2, 3].map(idOf),
})

test('cancelling a series cancels those of its reservations that have not begun', (t) => {
  const all = [1, 2, 3].map((n) => reservationCancelled(idOf(n)))
  t.deepEqual(given(...past).when(cancel(), '05:30'), records(...all))
  t.deepEqual(given(...past).when(cancel(), '06:00'), records(...all.slice(1)), 'one has begun')
  t.deepEqual(given(...past).when(cancel(), '08:30'), records(...all.slice(2)), 'one is over')
  t.deepEqual(given(...past).when(cancel(), '10:00'), records(), 'none is left')
  const cancelled = at('05:10', reservationCancelled(idOf(2)))
  t.deepEqual(given(...past, cancelled).when(cancel(), '06:30'), records(...all.slice(2)), 'one was cancelled before')
})

test('only the holder and administrators cancel a series', (t) => {
  t.deepEqual(whyRefused(given(...past).when(cancel(tester(bob)), '05:30')), ['not_your_reservation'])
})
