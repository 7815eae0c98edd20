/** A request that waits, over a store that ends at any call, or where another instance acts at any call. */

import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { hasOffer, type OfferedRequest } from '../../../src/domain/request/queue.ts'
import type { Scope } from '../../../src/domain/user/scope.ts'
import { administrator, alice } from '../../domain/builders.ts'
import { randomHex } from '../../event-store/new-events.ts'

import { dying, interrupted } from '../store/interrupted-store.ts'
import { aRequester, aStage, atEachCall, faultsOf, grantsOf, reservationsFor, type Stage } from './stage.ts'

const MINUTE = 60_000

for (const later of [1_000, 2 * MINUTE]) {
  test(`a request whose service crashes anywhere is granted ${later / 1000} s later, once`, async (t) => {
    await atEachCall(t, async ({ store, clock, suts, log }, nth) => {
      const { store: dyingStore, calls } = dying(store, nth)
      await aRequester(dyingStore, clock, { suts: suts.slice(1) })
        .ask('k')
        .catch(() => undefined)
      clock.pass(later)
      const other = aRequester(store, clock, { suts: suts.slice(1) })
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
    const other = aRequester(store, clock, { suts: suts.slice(1) })
    const slow = interrupted(store, nth, other.grant)
    const id = await aRequester(slow.store, clock, { suts: suts.slice(1) }).ask('k')
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
      await aRequester(store, clock).take(free)
    })
    const queue = aRequester(slow.store, clock, { suts: [free] })
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
  await aRequester(dying(store, 5).store, clock, { suts: [free] })
    .ask('k')
    .catch(() => undefined)
  const [request] = await aRequester(store, clock, { suts: [free] }).waiting()
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
    if (os !== undefined) await aRequester(store, clock).update(sut_id, { os })
    const queue = aRequester(store, clock, { suts: [sut_id], ...(scopes && { scopes }) })
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
  t.true(E.isRight(await aRequester(store, clock, { suts }).finishOffer(ahead, randomHex(8))))
  t.deepEqual(reservationsFor(await log(), request._id), [])
  t.deepEqual(faultsOf(await log()), [])
})
