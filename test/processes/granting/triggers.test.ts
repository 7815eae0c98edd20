import test from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import type { Waiting } from '../../../src/domain/request/queue.ts'
import { followTriggers } from '../../../src/processes/granting/triggers.ts'
import { alice, clock, idOf, SUT_ID } from '../../domain/builders.ts'
import { fakeViews } from '../fake-views.ts'

test('what changed decides what is looked at, and a user who is renamed nothing', (t) => {
  const { fake, views } = fakeViews()
  const now = clock('06:02')
  const triggers = followTriggers({
    ...{ views, clock: () => now, isOwn: () => true, isShared: false, isLimited: () => true, random: () => 0 },
  })
  t.teardown(triggers.close)
  // The first look is at everything.
  triggers.spread([], now)
  const waiting = { _id: idOf(1), user_id: alice, asker: { _id: alice, role: 'tester' }, priority: 0 } as Waiting
  const queue = [waiting]
  const dueAfter = (...events: readonly Event[]) => {
    fake.tell('06:02', ...events)
    triggers.spread(queue, now)
    return { suts: triggers.takeSuts(now), requests: triggers.takeRequests(now) }
  }
  const none = { suts: [], requests: [] }
  const credentials = { id: idOf(2), changed: ['name'] as const }
  t.deepEqual(dueAfter({ type: 'UserChanged', data: { _id: alice, credentials } }), none)
  t.deepEqual(dueAfter({ type: 'UserChanged', data: { _id: alice, scope: 'rack=1' } }), {
    ...none,
    requests: [idOf(1)],
  })
  t.deepEqual(dueAfter({ type: 'SutWentOnline', data: { _id: SUT_ID } } as Event), { ...none, suts: [SUT_ID] })
  t.deepEqual(dueAfter({ type: 'RequestKept', data: { _id: idOf(1), user_id: alice } }), {
    ...none,
    requests: [idOf(1)],
  })
})
