import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import type { Waiting } from '../../../src/domain/request/queue.ts'
import { followTriggers } from '../../../src/processes/granting/triggers.ts'
import {
  alice,
  clock,
  idOf,
  reservationCreated,
  reservationEnded,
  reservationKept,
  reservationReleased,
  reservationStarted,
  SUT_ID,
  wall,
} from '../../domain/builders.ts'
import { fakeViews, rowOf } from '../fake-views.ts'

test('what changed decides what is looked at, and what begins or is kept alive is nothing', (t) => {
  const { fake, views } = fakeViews()
  fake.rows = [rowOf(idOf(8), '05:00', '07:00'), rowOf(idOf(9), '05:00', '07:00')]
  const now = clock('06:02')
  const triggers = followTriggers({
    ...{ views, clock: () => now, isLimited: () => true },
  })
  t.teardown(triggers.close)
  // The first look is at everything.
  triggers.spread([], now)
  const waiting = { _id: idOf(1), user_id: alice, asker: { _id: alice, role: 'tester' }, priority: 0 } as Waiting
  const dueAfter = (...events: readonly Event[]) => {
    fake.tell('06:02', ...events)
    triggers.spread([waiting], now)
    return [triggers.suts.take(now), triggers.requests.take(now)]
  }
  const nothing = [undefined, undefined]
  t.deepEqual(dueAfter(reservationCreated(idOf(7), '08:00', '09:00')), nothing)
  t.deepEqual(dueAfter(reservationStarted(idOf(8), wall('05:00')), reservationKept(idOf(8))), nothing)
  t.deepEqual(dueAfter(reservationReleased(idOf(8), wall('06:02'))), [SUT_ID, idOf(1)])
  t.deepEqual(dueAfter(reservationEnded(idOf(9), wall('06:00'))), [SUT_ID, idOf(1)])
  t.deepEqual(dueAfter({ type: 'RequestKept', data: { _id: idOf(1), user_id: alice } }), [undefined, idOf(1)])
  const closed = { _id: idOf(2), user_id: alice, sut_id: SUT_ID, sut_reservation_id: idOf(3) }
  t.deepEqual(dueAfter({ type: 'RequestOfferClosed', data: closed }), [SUT_ID, idOf(2)])
  t.is(triggers.requests.take(now), idOf(1), 'its user may have another')
})
