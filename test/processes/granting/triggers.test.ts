import test, { type ExecutionContext } from 'ava'
import type { Event } from '../../../src/domain/event.ts'
import { followTriggers, type TriggersOptions } from '../../../src/processes/granting/triggers.ts'
import { alice, clock, idOf, SUT_ID } from '../../domain/builders.ts'
import { fakeViews } from '../fake-views.ts'

/** What the granting process looks at next. */

const NOW = '06:02'

const following = (t: ExecutionContext, more: Partial<Pick<TriggersOptions, 'isOwn' | 'random'>> = {}) => {
  const { fake, views } = fakeViews()
  const now = () => clock(NOW)
  const triggers = followTriggers({
    ...{ views, clock: now, isOwn: () => true, isShared: false, isHeldBack: () => false, random: () => 0, ...more },
    keepaliveOf: () => 60,
  })
  t.teardown(triggers.close)
  // The first look is at everything.
  triggers.take(now())
  return {
    triggers,
    take: () => triggers.take(now()),
    tell: (...events: readonly Event[]) => fake.tell(NOW, ...events),
  }
}

const requested = (n: number): Event => ({
  type: 'ReservationRequested',
  data: {
    _id: idOf(n),
    user_id: alice,
    sut_id: SUT_ID,
    duration: 900,
    expires_at: '2030-05-03T06:00:00.000Z',
    priority: 0,
  },
})

test('a new request is looked at by itself, and no other user than its own', (t) => {
  const { take, tell } = following(t)
  tell(requested(1))
  t.deepEqual(take(), { suts: new Set(), requests: [idOf(1)], hasNewUsers: false })
  t.deepEqual(take(), { suts: new Set(), requests: [], hasNewUsers: false })
})

test('a look at all SUTs looks at all users, too, if there were new requests', (t) => {
  const { triggers, take, tell } = following(t)
  triggers.lookAgain(clock(NOW), false)
  t.deepEqual(take(), { suts: 'all', requests: [], hasNewUsers: false })
  tell(requested(1))
  triggers.lookAgain(clock(NOW), false)
  t.deepEqual(take(), { suts: 'all', requests: [], hasNewUsers: true })
})

test('of more new requests than are remembered, all SUTs and all users are looked at', (t) => {
  // What others made is left to them for a second at least.
  let jitter = 0
  const { triggers, tell } = following(t, { isOwn: () => false, random: () => jitter })
  tell(...Array.from({ length: 1_000 }, (_, n) => requested(n)))
  jitter = 0.9
  tell(requested(1_000))
  const first = triggers.take(clock(NOW) + 1_000)
  t.deepEqual([first.requests.length, first.hasNewUsers], [1_000, true])
  t.like(triggers.take(clock(NOW) + 1_900), { suts: 'all' })
})

test('one that comes back after others went before it is looked at again, and one that is only kept alive is not', (t) => {
  const { fake, views } = fakeViews()
  const triggers = followTriggers({
    ...{ views, clock: () => clock('06:30'), isOwn: () => true, isShared: false, random: () => 0 },
    ...{ isHeldBack: () => false, keepaliveOf: () => 60 },
  })
  t.teardown(triggers.close)
  triggers.take(clock('06:30'))
  const take = () => triggers.take(clock('06:30')).requests
  const kept = (n: number): Event => ({ type: 'RequestKept', data: { _id: idOf(n), user_id: alice } })
  const { type, data } = requested(1)
  fake.tell('06:02', { type, data: { ...data, keepalive: 60 } } as Event)
  t.deepEqual(take(), [idOf(1)])
  fake.tell('06:02:59', kept(1))
  t.deepEqual(take(), [])
  fake.tell('06:03:59', kept(1))
  t.deepEqual(take(), [idOf(1)])
  fake.tell('06:04', kept(2))
  t.deepEqual(take(), [idOf(2)], 'of one that was made before the start nobody knows')
  fake.tell('06:04:50', kept(2))
  t.deepEqual(take(), [])
})
