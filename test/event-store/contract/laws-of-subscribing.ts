import assert from 'node:assert/strict'
import * as E from 'fp-ts/lib/Either.js'
import type { Recorded } from '../../../src/domain/event.ts'
import type { Batch } from '../../../src/event-store/event-store.ts'
import {
  anEvent,
  appendPatiently,
  aStream,
  assertSame,
  idsOf,
  interleave,
  logged,
  readAll,
  readLog,
} from '../new-events.ts'
import type { Law } from './contract.ts'

/** Awaits a promise; a timeout (in milliseconds) breaks the law. */
const within = async <A>(timeout: number, what: string, promise: Promise<A>): Promise<A> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new assert.AssertionError({ message: `still waiting for ${what}` })), timeout)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Reads a subscription until `enough` events have arrived. */
const follow = async (batches: AsyncIterable<Pick<Batch, 'events'>>, enough: number): Promise<readonly Recorded[]> => {
  const events: Recorded[] = []
  if (enough === 0) return events
  for await (const batch of batches) {
    events.push(...batch.events)
    if (events.length >= enough) break
  }
  return events
}

const everyPosition: Law = {
  title: 'a subscription from any position delivers the rest of the log in order and reports being caught up',
  check: async ({ store }, timeout) => {
    const from = await store.head()
    const ids = await interleave(store, [aStream(), aStream(), aStream()], 20)
    const log = await within(timeout, 'the end of the log', readLog(store, from))
    assert.deepEqual(idsOf(log), ids)
    const storePositions = log.map(({ storePosition }) => storePosition)
    assert.deepEqual(
      storePositions,
      [...new Set(storePositions)].toSorted((a, b) => a - b),
      'positions increase along the log',
    )
    assert.equal(await store.head(), storePositions.at(-1))
    for (const [index, storePosition] of storePositions.entries()) {
      const rest = await within(timeout, 'the end of the log', readLog(store, storePosition))
      assert.deepEqual(rest, log.slice(index + 1))
    }
    const all = await within(timeout, 'the end of the log', readLog(store, -1))
    assert.deepEqual(all.slice(-log.length), log)
  },
}

const live: Law = {
  title: 'after catching up, a subscription delivers each new event exactly as it is read back',
  check: async ({ store }, timeout) => {
    const from = await store.head()
    const streams = [aStream(), aStream()]
    const before = await interleave(store, streams, 6)
    const batches = store.subscribe(from, new AbortController().signal)[Symbol.asyncIterator]()
    const events: Recorded[] = []
    for (let caughtUp = false; !caughtUp; ) {
      const { value } = await within(timeout, 'the end of the log', batches.next())
      events.push(...value.events)
      caughtUp = value.caughtUp
    }
    assert.deepEqual(idsOf(events), before)
    const rest = follow({ [Symbol.asyncIterator]: () => batches }, 9)
    const after = await interleave(store, streams, 6)
    events.push(...(await within(timeout, 'live events', rest)))
    assert.deepEqual(idsOf(events), [...before, ...after])
    for (const stream of streams) {
      const ofStream = events.filter((event) => event.stream === stream)
      assert.deepEqual(ofStream, (await readAll(store, stream)).map(logged))
    }
  },
}

const abort: Law = {
  title: 'an aborted subscription ends without an error, even while waiting',
  check: async ({ store }, timeout) => {
    const from = await store.head()
    await interleave(store, [aStream()], 3)
    const abortions = [AbortSignal.abort(), AbortSignal.timeout(5), new AbortController().signal]
    for (const [index, signal] of abortions.entries()) {
      const controller = new AbortController()
      const either = AbortSignal.any([signal, controller.signal])
      const ended = (async () => {
        for await (const { caughtUp } of store.subscribe(from, either)) {
          assert.notEqual(index, 0, 'a batch arrived although the signal was already aborted')
          if (caughtUp && index === 2) controller.abort()
        }
      })()
      await assert.doesNotReject(within(timeout, 'the end of an aborted subscription', ended))
    }
  },
}

const slow: Law = {
  title: 'a subscriber slower than 3,000 new events gets each once, as read back',
  check: async ({ store }, timeout) => {
    const from = await store.head()
    const stream = aStream()
    const batches = store.subscribe(from, new AbortController().signal)[Symbol.asyncIterator]()
    await within(timeout, 'the first batch', batches.next())
    const events = Array.from({ length: 3000 }, (_, n) => anEvent(stream, n % 3 === 0 ? `Prüfung ${n}` : `check ${n}`))
    for (let index = 0; index < 3000; index += 50) {
      assert.ok(E.isRight(await appendPatiently(store, stream, index - 1, events.slice(index, index + 50))))
    }
    const all = follow({ [Symbol.asyncIterator]: () => batches }, events.length)
    // One timeout for all: a store that keeps delivering empty batches would pass a timeout per batch.
    const seen = await within(timeout, '3,000 events', all)
    assertSame(idsOf(seen), idsOf(events), 'the events of the subscription')
    assertSame(seen, (await readAll(store, stream)).map(logged), 'the events as they are read back')
  },
}

export const lawsOfSubscribing: readonly Law[] = [everyPosition, live, abort, slow]
