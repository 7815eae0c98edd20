import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { SCHEDULE } from '../../../src/commands/begin-schedule.ts'
import type { Quotas } from '../../../src/commands/quotas.ts'
import { makeFinishOffer } from '../../../src/commands/requests/finish-offer.ts'
import { makeMakeRequest } from '../../../src/commands/requests/make-request.ts'
import { makeRunner } from '../../../src/commands/runner.ts'
import type { Recorded } from '../../../src/domain/event.ts'
import { requestDecider } from '../../../src/domain/request/decide.ts'
import type { Grants } from '../../../src/domain/request/rank.ts'
import { allIn, hasOffer, type OfferedRequest } from '../../../src/domain/request/waiting.ts'
import type { Scope } from '../../../src/domain/user/scope.ts'
import { REQUESTS_STREAM } from '../../../src/domain/values/ids.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { administrator, alice, LIMITS } from '../../domain/builders.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { anInstance, aStage, faultsOf, type Stage } from '../matching/stage.ts'
import type { Clock } from '../port-setting.ts'
import { NO_SNAPSHOTS } from '../script.ts'
import { anIdempotencyKey } from '../steps.ts'
import { dying, interrupted } from '../store/interrupted-store.ts'

/** A request that waits, over a store that ends at any call, or where another instance acts at any call. */

const MINUTE = 60_000

/** Instances over one store that believe these SUTs to be free. The stream of a SUT decides. */
const aQueue = (
  store: EventStore,
  clock: Clock,
  suts: readonly string[],
  scopes: Readonly<Record<string, Scope>> = {},
) => {
  const runner = makeRunner({ store, clock: clock.now, randomHex, snapshots: NO_SNAPSHOTS })
  const quotas: Pick<Quotas, 'run' | 'usesOf' | 'priorityMaxOf'> = {
    run: (_, run) => run(undefined),
    usesOf: async () => () => undefined,
    priorityMaxOf: () => null,
  }
  const finishOffer = makeFinishOffer({
    ...{ runner, quotas, limits: LIMITS, clock: clock.now, randomHex },
    ...{ personOf: (userId) => ({ scope: scopes[userId] ?? {} }), waitForViews: () => true },
  })
  const quarter = 900
  const grants: Grants = {
    windowFor: ({ duration }, _, { now }) => {
      const start = Math.floor(now / 1_000 / quarter) * quarter
      return { start, end: Math.ceil((now / 1_000 + duration) / quarter) * quarter }
    },
  }
  const make = makeMakeRequest({
    ...{ runner, store, quotas, limits: LIMITS, finishOffer, clock: clock.now, randomHex },
    search: async () => ({
      best: () => suts[0],
      another: (tried) => suts.find((sut) => !tried.has(sut)),
      explain: () => ({ matching: suts.length, nextAvailable: undefined, longest: undefined }),
    }),
    ...{ grantsFor: async () => grants, catchUp: async () => true, isClockAhead: () => false },
  })
  const waiting = () => runner.inspect(requestDecider, REQUESTS_STREAM, ({ queue }) => [...allIn(queue)])
  return {
    ask: async (key: string, wait = 3_600) => {
      const sender = { actor: administrator, requestId: randomHex(8), idempotencyKey: anIdempotencyKey(key) }
      const asked = { actor: administrator, user_id: alice, holderRole: 'tester', refusedSut: undefined } as const
      const target = { target: { match: { os: 'windows' } }, scopes: [] }
      const made = await make(sender, { ...asked, ...target, duration: 900, wait, priority: 0, keepalive: undefined })
      return E.isLeft(made) ? made.left.code : made.right.id
    },
    /** What the process does that grants SUTs: ends open offers, and offers what may be free. */
    grant: async () => {
      for (const request of (await waiting()).filter(hasOffer)) await finishOffer(request, randomHex(8))
      const command = { type: 'OfferSuts', sutIds: suts, grants, random: () => randomHex(8) } as const
      await runner.run(requestDecider, REQUESTS_STREAM, { command, actor: SCHEDULE, requestId: randomHex(8) })
      for (const request of (await waiting()).filter(hasOffer)) await finishOffer(request, randomHex(8))
    },
    waiting,
    finishOffer,
  }
}

const reservationsFor = (log: readonly Recorded[], requestId: string): readonly string[] =>
  log.flatMap(({ type, data }) =>
    type === 'ReservationCreated' && data.sut_request_id === requestId ? [data._id] : [],
  )
const grantsOf = (log: readonly Recorded[], requestId: string): readonly string[] =>
  log.flatMap(({ type, data }) =>
    type === 'RequestGranted' && data._id === requestId ? [data.sut_reservation_id] : [],
  )

const atEachCall = async (t: ExecutionContext, act: (given: Stage, nth: number) => Promise<number>): Promise<void> => {
  let nth = 1
  while ((await act(await aStage(t), nth)) >= nth) nth++
  t.true(nth > 5)
}

for (const later of [1_000, 2 * MINUTE]) {
  test(`a request whose service crashes anywhere is granted ${later / 1000} s later, once`, async (t) => {
    await atEachCall(t, async ({ store, clock, suts, log }, nth) => {
      const { store: dyingStore, calls } = dying(store, nth)
      await aQueue(dyingStore, clock, suts.slice(1))
        .ask('k')
        .catch(() => undefined)
      clock.pass(later)
      const other = aQueue(store, clock, suts.slice(1))
      await other.grant()
      await other.grant()
      const id = await other.ask('k')
      t.regex(id, /^[0-9a-f]{24}$/, `at ${nth}`)
      t.is(await other.ask('k'), id)
      await other.grant()
      const made = reservationsFor(await log(), id)
      t.is(made.length, 1, `at ${nth}`)
      t.deepEqual(grantsOf(await log(), id), made)
      t.deepEqual(await other.waiting(), [])
      t.deepEqual(faultsOf(await log()), [])
      return calls()
    })
  })
}

test('two instances that end the same offer make one reservation, wherever one overtakes the other', async (t) => {
  await atEachCall(t, async ({ store, clock, suts, log }, nth) => {
    const other = aQueue(store, clock, suts.slice(1))
    const slow = interrupted(store, nth, other.grant)
    const id = await aQueue(slow.store, clock, suts.slice(1)).ask('k')
    t.is(await other.ask('k'), id, `at ${nth}`)
    await other.grant()
    const made = reservationsFor(await log(), id)
    t.is(made.length, 1, `at ${nth}`)
    t.deepEqual(grantsOf(await log(), id), made)
    t.deepEqual(faultsOf(await log()), [])
    return slow.calls()
  })
})

test('a SUT that somebody takes meanwhile is not granted, and the request goes on waiting', async (t) => {
  await atEachCall(t, async ({ store, clock, suts, log }, nth) => {
    const [, free = ''] = suts
    const slow = interrupted(store, nth, async () => {
      clock.pass(1_000)
      await anInstance(store, clock).take(free)
    })
    const queue = aQueue(slow.store, clock, [free])
    const id = await queue.ask('k')
    const made = reservationsFor(await log(), id)
    t.is(made.length + (await queue.waiting()).length, 1, `at ${nth}`)
    t.deepEqual(grantsOf(await log(), id), made)
    t.deepEqual(faultsOf(await log()), [])
    return slow.calls()
  })
})

/** A request whose offer a crash has left open. */
const leaveOffer = async ({ store, clock, suts }: Stage): Promise<OfferedRequest> => {
  const [, free = ''] = suts
  await aQueue(dying(store, 4).store, clock, [free])
    .ask('k')
    .catch(() => undefined)
  const [request] = await aQueue(store, clock, [free]).waiting()
  if (request === undefined || !hasOffer(request)) throw new Error('nothing was offered')
  return request
}

const elsewhere: Scope = { rack: '4' }
const changes: Readonly<Record<string, { os?: string; scopes?: Readonly<Record<string, Scope>> }>> = {
  'it does not fit any more': { os: 'linux' },
  'its holder may not see it any more': { scopes: { [alice]: elsewhere } },
  'who asked may not see it any more': { scopes: { [administrator._id]: elsewhere } },
}

for (const [what, { os, scopes }] of Object.entries(changes)) {
  test(`a SUT that is being offered is not granted when ${what}`, async (t) => {
    const stage = await aStage(t)
    const { store, clock, log } = stage
    const request = await leaveOffer(stage)
    const { sut_id } = request.offer
    if (os !== undefined) await anInstance(store, clock).update(sut_id, { os })
    const queue = aQueue(store, clock, [sut_id], scopes)
    t.true(E.isRight(await queue.finishOffer(request, randomHex(8))))
    t.deepEqual(reservationsFor(await log(), request._id), [])
    t.deepEqual((await queue.waiting()).filter(hasOffer), [])
  })
}

test('an offer that a clock made which was ahead is closed, and its time gets into no other stream', async (t) => {
  const stage = await aStage(t)
  const { store, clock, suts, log } = stage
  const request = await leaveOffer(stage)
  const ahead = { ...request, offer: { ...request.offer, time: request.offer.time + 2 * MINUTE } }
  t.true(E.isRight(await aQueue(store, clock, suts).finishOffer(ahead, randomHex(8))))
  t.deepEqual(reservationsFor(await log(), request._id), [])
  t.deepEqual(faultsOf(await log()), [])
})
