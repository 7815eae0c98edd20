import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ErrorType, EventStoreDBClient } from '@eventstore/db-client'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { readEventStoreDbAddress } from '../../../src/event-store/eventstoredb/server/address.ts'
import { faultOf } from '../../../src/event-store/eventstoredb/server/faults.ts'
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/store.ts'
import { launch } from '../../process/harness.ts'
import { rightOf } from '../../users/builders.ts'
import {
  anEvent,
  append,
  appendPatiently,
  aStream,
  done,
  idsOf,
  outcomeOf,
  randomHex,
  readAll,
  readLog,
  someEvents,
} from '../new-events.ts'
import { failure } from './protocol/wire.ts'
import { aServer } from './server-and-client.ts'
import { addressOf, openAdapter } from './service/instances.ts'

/** Pitfalls of the store's client that the adapter avoids, one test each. */

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
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  const stream = aStream()
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
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  const stream = aStream()
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

test('control: the bare client hangs after 100 subscriptions', async (t) => {
  const server = await aServer(t)
  const client = EventStoreDBClient.connectionString(server.address)
  t.teardown(() => client.dispose())
  const subscriptions = Array.from({ length: 100 }, () => client.subscribeToAll())
  await Promise.all(subscriptions.map((one) => new Promise((resolve) => one.once('confirmation', resolve))))
  const read = client.readAll({ maxCount: 1 })
  const hung = read[Symbol.asyncIterator]()
    .next()
    .catch(() => undefined)
  t.is(await inTime(hung, 300), 'late')
  await read.cancel()
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

const raw = (code: number | undefined, message = 'raw', type?: string): Error =>
  Object.assign(new Error(message), { code, details: message, ...(type && { type }) })

test('errors are classified by type, else by code; an error with neither has a fallback', (t) => {
  t.is(faultOf(raw(status.UNAVAILABLE, '14 UNAVAILABLE: No connection established')), 'unanswered')
  t.is(faultOf(raw(status.DEADLINE_EXCEEDED)), 'unanswered')
  t.is(faultOf(raw(status.ABORTED, 'Forwarding timeout')), 'unanswered')
  t.is(faultOf(raw(status.RESOURCE_EXHAUSTED)), 'unanswered')
  t.is(faultOf(raw(status.PERMISSION_DENIED)), 'denied')
  t.is(faultOf(raw(status.UNAUTHENTICATED)), 'denied')
  t.is(faultOf(raw(status.INVALID_ARGUMENT)), 'refused')
  t.is(faultOf(raw(undefined, 'Could not recognize Server Is Not Ready', ErrorType.UNKNOWN)), 'unanswered')
  t.is(faultOf(raw(undefined, 'late', ErrorType.DEADLINE_EXCEEDED)), 'unanswered')
  t.is(faultOf(raw(undefined, 'denied', ErrorType.ACCESS_DENIED)), 'denied')
  t.is(faultOf(raw(undefined, 'Failed to discover after 3 attempts.')), 'unsent')
  t.is(faultOf('no error at all'), 'unanswered')
})

test('an append beyond the size limit is refused with a reason, and the next one works', async (t) => {
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  const stream = aStream()
  const large = Array.from({ length: 300 }, () => anEvent(stream, 'x'.repeat(4_000)))
  const refused = await t.throwsAsync(appendPatiently(store, stream, -1, large))
  t.regex(String(refused?.message), /1048576|append size/i)
  const { connections } = server.counters
  const next = await append(store, stream, -1, large.slice(0, 200))
  // On a busy machine the answer may be late: it is then asked for again, over another connection.
  if (E.isRight(next)) t.is(server.counters.connections, connections)
  else done(await appendPatiently(store, stream, -1, large.slice(0, 200)))
  t.deepEqual(idsOf(await readAll(store, stream)), idsOf(large.slice(0, 200)))
})

test('repeating the start of an append succeeds without writing; a longer append is refused', async (t) => {
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  const stream = aStream()
  const events = someEvents(stream, 3)
  done(await append(store, stream, -1, events.slice(0, 2)))
  const again = done(await append(store, stream, -1, events.slice(0, 1)))
  const [first] = await readLog(store, -1)
  t.deepEqual(again, { revision: 0, storePosition: first?.storePosition })
  t.is(outcomeOf(await append(store, stream, -1, events)), 'moved')
  t.is((await readAll(store, stream)).length, 2)
})

const closing = fileURLToPath(new URL('service/closing-process.ts', import.meta.url))

test('thorough: a process exits by itself after closing its store', async (t) => {
  const server = await aServer(t)
  const child = launch(t, { data: '.', script: closing, args: [addressOf(server, 0)] })
  await child.line('used')
  t.deepEqual(await inTime(child.exited, 10_000), { code: 0, signal: null }, child.errors())
})

test('control: an open store keeps its process alive', async (t) => {
  const server = await aServer(t)
  const child = launch(t, { data: '.', script: closing, args: [addressOf(server, 0), 'open'] })
  await child.line('used')
  t.is(await inTime(child.exited, 500), 'late')
})
