import test from 'ava'
import { find } from '../../../src/domain/calendar/calendar.ts'
import type { BindReservation } from '../../../src/domain/reservation/bind.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import {
  administrator,
  alice,
  bob,
  idOf,
  reservationBound,
  reservationCancelled,
  reservationCreated,
  reservationUnbound,
  sutCreated,
  tester,
} from '../builders.ts'
import { at, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const [HERE, THERE] = [`k1:${'a'.repeat(22)}`, `k1:${'b'.repeat(22)}`]
const created = at('05:00', sutCreated())
const ofAlice = { actor: alice, role: 'tester' as const, client: HERE }
const made = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'), ofAlice)
const bind = (more: Partial<BindReservation> = {}): BindReservation => ({
  type: 'BindReservation',
  actor: tester(alice),
  _id: idOf(1),
  user_id: alice,
  documentStatus: 'made',
  client: THERE,
  ...more,
})
const bound = records(reservationBound(idOf(1)))

test('a reservation made by its holder is bound to the address of that request', (t) => {
  const { windows } = given(created, made).state
  t.is(find(windows, idOf(1))?.client, HERE)
  t.deepEqual(given(created, made).when(bind({ client: HERE }), '05:01'), records(), 'already so')
})

test('a reservation made by somebody else, or by a version that knew no clients, is bound to nothing', (t) => {
  for (const more of [{ ...ofAlice, actor: bob }, { actor: alice }]) {
    const other = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'), more)
    const story = given(created, other)
    t.is(find(story.state.windows, idOf(1))?.client, null)
    t.deepEqual(story.when(bind({ client: HERE }), '05:01'), bound)
  }
})

test('binding moves a reservation to the address of the caller, before its start and while it runs', (t) => {
  for (const time of ['05:01', '06:30', '06:59:59.999']) t.deepEqual(given(created, made).when(bind(), time), bound)
  const moved = given(created, made, at('06:10', reservationBound(idOf(1)), { client: THERE }))
  t.is(find(moved.state.windows, idOf(1))?.client, THERE)
  t.deepEqual(moved.when(bind(), '06:11'), records(), 'already so')
  t.deepEqual(moved.when(bind({ client: HERE }), '06:11'), bound)
})

test('only the holder and administrators bind a reservation, and only until it is over or cancelled', (t) => {
  t.is(refusal(given(created, made).when(bind({ actor: tester(bob) }), '05:01')).code, 'not_your_reservation')
  t.deepEqual(given(created, made).when(bind({ actor: administrator }), '05:01'), bound)
  t.is(refusal(given(created, made).when(bind(), '07:00')).code, 'reservation_over')
  const cancelled = given(created, made, at('05:01', reservationCancelled(idOf(1))))
  t.is(refusal(cancelled.when(bind({ documentStatus: 'cancelled' }), '05:02')).code, 'reservation_cancelled')
})

const unbind = { type: 'UnbindReservation', _id: idOf(1) } as const
const unbound = records(reservationUnbound(idOf(1)))

test('a binding ends before the start and while the reservation runs, and the holder can bind it again', (t) => {
  for (const time of ['05:01', '06:30', '06:59:59.999']) t.deepEqual(given(created, made).when(unbind, time), unbound)
  const ended = given(created, made, at('06:10', reservationUnbound(idOf(1)), { actor: 'berth', role: 'system' }))
  t.is(find(ended.state.windows, idOf(1))?.client, null)
  t.deepEqual(ended.when(unbind, '06:11'), records(), 'already so')
  t.deepEqual(ended.when(bind({ client: HERE }), '06:11'), bound)
  const others = given(
    created,
    made,
    at('05:01', reservationCreated(idOf(2), '07:00', '08:00', bob), { actor: bob, client: THERE }),
  )
  t.deepEqual(others.when(unbind, '06:11'), unbound, 'only this one')
})

test('there is no binding to end of a reservation that is over, cancelled, unknown or bound to nothing', (t) => {
  t.deepEqual(given(created, made).when(unbind, '07:00'), records())
  const cancelled = given(created, made, at('05:01', reservationCancelled(idOf(1))))
  t.deepEqual(cancelled.when(unbind, '05:02'), records())
  t.deepEqual(given(created).when(unbind, '05:02'), records())
  t.deepEqual(
    given(created, at('05:00', reservationCreated(idOf(1), '06:00', '07:00'), { actor: bob })).when(unbind, '05:02'),
    records(),
  )
  t.is(refusal(given().when(unbind, '05:02')).code, 'sut_not_found')
})
