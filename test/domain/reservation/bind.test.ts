import test from 'ava'
import { find } from '../../../src/domain/calendar/calendar.ts'
import type { BindReservation } from '../../../src/domain/reservation/change.ts'
import { reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { alice, bob, idOf, reservationBound, reservationCreated, sutCreated, tester } from '../builders.ts'
import { at, records, refusal, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const [HERE, THERE] = [`k1:${'a'.repeat(22)}`, `k1:${'b'.repeat(22)}`]
const created = at('05:00', sutCreated())
const ofAlice = { actor: alice, role: 'tester' as const, client: HERE }
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

test('a reservation made by somebody else, or by a version that knew no clients, is bound to nothing', (t) => {
  for (const more of [{ ...ofAlice, actor: bob }, { actor: alice }]) {
    const other = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'), more)
    const story = given(created, other)
    t.is(find(story.state.windows, idOf(1))?.client, null)
    t.deepEqual(story.when(bind({ client: HERE }), '05:01'), bound)
  }
})

const unbind = { type: 'UnbindReservation', _id: idOf(1) } as const

test('there is no binding to end of an unknown reservation', (t) => {
  t.deepEqual(given(created).when(unbind, '05:02'), records())
  t.is(refusal(given().when(unbind, '05:02')).code, 'sut_not_found')
})
