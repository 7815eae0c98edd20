/** Pitfalls of the store's client that the adapter avoids, one test each. */

import { setTimeout as delay } from 'node:timers/promises'
import { ErrorType } from '@eventstore/db-client'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { readEventStoreDbAddress } from '../../../src/event-store/eventstoredb/server/address.ts'
import { faultOf } from '../../../src/event-store/eventstoredb/server/faults.ts'
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/store.ts'
import { until } from '../../http/until.ts'
import { rightOf } from '../../users/builders.ts'
import {
  anEvent,
  append,
  appendPatiently,
  aStream,
  done,
  idsOf,
  randomHex,
  readAll,
  readLog,
  someEvents,
} from '../new-events.ts'
import { failure } from './protocol/wire.ts'
import { aServer } from './server-and-client.ts'
import { anAdapter, openAdapter } from './service/instances.ts'

test('each append is a call of its own, never part of a shared gRPC stream, with or without credentials', async (t) => {
  const server = await aServer(t)
  const address = rightOf(readEventStoreDbAddress(server.address))
  for (const credentials of [undefined, { username: 'lab', password: 'secret' }]) {
    const store = await openEventStoreDb({ address: { ...address, ...(credentials && { credentials }) }, randomHex })
    t.teardown(store.close)
    const before = server.counters.appends
    const stream = aStream()
    for (let i = 0; i < 5; i++) done(await append(store, stream, i - 1, someEvents(stream, 1)))
    t.is(server.counters.appends, before + 5)
  }
})

test('commands and subscriptions use separate connections', async (t) => {
  const { server, store, stream } = await anAdapter(t)
  done(await append(store, stream, -1, someEvents(stream, 1)))
  t.is(server.counters.connections, 1)
  await readLog(store, -1)
  await readLog(store, -1)
  await readAll(store, stream)
  t.is(server.counters.connections, 2)
})

/** Calls beyond the connection's limit wait silently, so this adds a timeout. */
const inTime = <A>(promise: Promise<A>, milliseconds: number): Promise<A | 'late'> =>
  Promise.race([promise, delay(milliseconds, 'late' as const, { ref: false })])

test('thorough: 120 concurrent subscribers, reads and appends do not hang', async (t) => {
  const { server, store, stream } = await anAdapter(t)
  done(await append(store, stream, -1, someEvents(stream, 3)))
  const stop = new AbortController()
  const subscribers = Array.from({ length: 120 }, () => store.subscribe(BEGINNING, stop.signal)[Symbol.asyncIterator]())
  const first = subscribers.map((subscriber) => subscriber.next())
  await Promise.all(first.slice(0, 80))
  server.delayAnswers(20)
  const streams = Array.from({ length: 120 }, () => aStream())
  const appends = Promise.all(streams.map((name) => append(store, name, -1, someEvents(name, 1))))
  const reads = Promise.all(streams.map(() => readAll(store, stream)))
  const both = await inTime(Promise.all([appends, reads]), 60_000)
  if (both === 'late') return t.fail('it hangs')
  t.true(both[0].every(E.isRight))
  t.true(both[1].every((events) => events.length === 3))
  stop.abort()
  // On a busy machine a subscription may have been given up as silent: that is no hanging either.
  t.not(await inTime(Promise.allSettled(first), 60_000), 'late')
})

test('the adapter never calls for server features, as the client would cache a failure forever', async (t) => {
  const server = await aServer(t)
  server.failNext('features', failure(status.INTERNAL, 'Internal'), 1_000)
  const store = await openAdapter(t, server)
  const stream = aStream()
  done(await append(store, stream, -1, someEvents(stream, 1)))
  server.dropConnections()
  done(await append(store, stream, 0, someEvents(stream, 1)))
  t.is((await readAll(store, stream)).length, 2)
  t.is((await readLog(store, -1)).length, 2)
  t.is(server.counters.features, 0)
})

test('errors are classified by type, else by code; an error with neither has a fallback', (t) => {
  const { UNKNOWN, DEADLINE_EXCEEDED, ACCESS_DENIED } = ErrorType
  for (const [expected, code, message, type] of [
    ['unanswered', status.UNAVAILABLE, '14 UNAVAILABLE: No connection established'],
    ['unanswered', status.DEADLINE_EXCEEDED, 'late'],
    ['unanswered', status.ABORTED, 'Forwarding timeout'],
    ['unanswered', status.RESOURCE_EXHAUSTED, 'Too many'],
    ['denied', status.PERMISSION_DENIED, 'denied'],
    ['denied', status.UNAUTHENTICATED, 'denied'],
    ['refused', status.INVALID_ARGUMENT, 'wrong'],
    ['unanswered', undefined, 'Could not recognize Server Is Not Ready', UNKNOWN],
    ['unanswered', undefined, 'late', DEADLINE_EXCEEDED],
    ['denied', undefined, 'denied', ACCESS_DENIED],
    ['unsent', undefined, 'Failed to discover after 3 attempts.'],
  ] as const) {
    const error = Object.assign(new Error(message), { code, details: message, ...(type && { type }) })
    t.is(faultOf(error), expected, message)
  }
  t.is(faultOf('no error at all'), 'unanswered')
})

test('an append beyond the size limit is refused with a reason, and the next one works', async (t) => {
  const { store, stream } = await anAdapter(t)
  const large = Array.from({ length: 300 }, () => anEvent(stream, 'x'.repeat(4_000)))
  const refused = await t.throwsAsync(appendPatiently(store, stream, -1, large))
  t.regex(String(refused?.message), /1048576|append size/i)
  done(await appendPatiently(store, stream, -1, large.slice(0, 200)))
  t.deepEqual(idsOf(await readAll(store, stream)), idsOf(large.slice(0, 200)))
})

test('a head read with an empty answer is repeated, as its starting event must exist', async (t) => {
  const { server, store, stream } = await anAdapter(t)
  const { storePosition } = done(await append(store, stream, -1, someEvents(stream, 1)))
  server.failNext('read', failure(status.OK, ''), 2)
  const { reads } = server.counters
  t.is(await store.head(), storePosition)
  t.is(server.counters.reads, reads + 3)
})

test('a read that the closing of the store cuts off fails, instead of ending as if there were no events', async (t) => {
  const { server, store, stream } = await anAdapter(t)
  const { storePosition } = done(await append(store, stream, -1, someEvents(stream, 3)))
  server.freeze()
  const { reads } = server.counters
  const reading = Promise.allSettled([readAll(store, stream), store.at(storePosition)])
  await until('both read', async () => server.counters.reads === reads + 2, 60_000)
  await store.close()
  const expected = { status: 'rejected', reason: { name: 'StoreUnavailable' } }
  for (const ended of await reading) t.like(ended, expected)
})
