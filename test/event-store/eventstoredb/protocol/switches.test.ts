import { ErrorType, EventStoreDBClient } from '@eventstore/db-client'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { anEvent, aStream, idsOf, readStream, refusalOf, someEvents } from '../conformance/law.ts'
import { aPair, aServer, codeOf, countIn, exhausted } from '../server-and-client.ts'
import { failure } from './wire.ts'

test('a refused append fails and is not written; the next one succeeds', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  server.faultAppends({ how: 'refused', failure: exhausted })
  t.is(await codeOf(store.append(stream, 'no_stream', someEvents(1))), status.RESOURCE_EXHAUSTED)
  t.is(await countIn(store, stream), 0)
  await store.append(stream, 'no_stream', someEvents(1))
  t.is(server.counters.classicAppends, 2)
})

test('a lost append fails but was written', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  const events = someEvents(2)
  server.faultAppends({ how: 'lost' })
  t.is((await refusalOf(store.append(stream, 'no_stream', events))).type, ErrorType.UNAVAILABLE)
  t.is(await countIn(store, stream), 2)
  t.is((await store.append(stream, 'no_stream', events)).nextExpectedRevision, 1n)
  t.is(await countIn(store, stream), 2)
})

test('a silent append is not written and never answered', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  const seen = Promise.withResolvers<void>()
  server.faultAppends({ how: 'silent', when: () => seen.resolve() === undefined })
  const appended = refusalOf(store.append(stream, 'no_stream', someEvents(1)))
  await seen.promise
  t.is(await countIn(store, stream), 0)
  server.dropConnections()
  t.is((await appended).type, ErrorType.UNAVAILABLE)
})

test('a lost and silent append is written and never answered', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  server.faultAppends({ how: 'lost-silent' })
  const written = Promise.withResolvers<void>()
  t.teardown(server.log.watch(written.resolve))
  const appended = refusalOf(store.append(stream, 'no_stream', someEvents(1)))
  await written.promise
  t.is(await countIn(store, stream), 1)
  server.dropConnections()
  t.is((await appended).type, ErrorType.UNAVAILABLE)
})

test('a fault applies to its number of matching appends, and to no others', async (t) => {
  const { server, store } = await aPair(t)
  const [meant, other] = [aStream('meant'), aStream('other')]
  server.faultAppends({ how: 'refused', times: 2, when: ({ stream }) => stream.startsWith('meant') })
  await store.append(other, 'no_stream', someEvents(1))
  await refusalOf(store.append(meant, 'no_stream', someEvents(1)))
  await refusalOf(store.append(meant, 'no_stream', someEvents(1)))
  await store.append(meant, 'no_stream', someEvents(1))
  t.is(await countIn(store, meant), 1)
})

test('a client whose features call failed never recovers, but a new client works', async (t) => {
  const server = await aServer(t)
  server.failNext('features', failure(status.INTERNAL, 'Internal'))
  const append = (client: EventStoreDBClient) =>
    client.appendToStream(aStream(), [anEvent()], { expectedRevision: 'no_stream' })
  const first = EventStoreDBClient.connectionString(server.address)
  t.teardown(() => first.dispose())
  await refusalOf(append(first))
  await refusalOf(append(first))
  const second = EventStoreDBClient.connectionString(server.address)
  t.teardown(() => second.dispose())
  t.true((await append(second)).success)
  t.is(server.counters.features, 2)
  t.deepEqual([server.counters.batchAppends, server.counters.classicAppends], [1, 0])
})

test('a log truncated after a position continues from there, like a restored backup', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  const events = someEvents(3)
  const { position } = await store.append(stream, 'no_stream', events.slice(0, 2))
  const lost = await store.append(stream, 1n, events.slice(2))
  server.log.truncateAfter(Number(position?.commit))
  t.deepEqual(idsOf(await readStream(store, stream)), idsOf(events.slice(0, 2)))
  const next = await store.append(stream, 1n, someEvents(1))
  t.deepEqual([next.nextExpectedRevision, next.position], [2n, lost.position])
})

test('a log truncated before a position keeps the revisions of the remaining events', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  const events = someEvents(4)
  await store.append(stream, 'no_stream', events.slice(0, 2))
  const { position } = await store.append(stream, 1n, events.slice(2))
  server.log.truncateBefore(Number(position?.commit))
  const left = await readStream(store, stream)
  t.deepEqual(
    left.map(({ id, revision }) => [id, revision]),
    [[events[3]?.id, 3n]],
  )
})

test('a client without credentials is denied access if the server has users', async (t) => {
  const { store } = await aPair(t, { users: { berth: 'secret' } })
  t.is((await refusalOf(store.append(aStream(), 'no_stream', someEvents(1)))).type, ErrorType.ACCESS_DENIED)
  t.is((await refusalOf(readStream(store, aStream()))).type, ErrorType.ACCESS_DENIED)
})

test('the append size limit is configurable', async (t) => {
  const { store } = await aPair(t, { appendMax: 1_000 })
  const [small, large] = [anEvent('x'.repeat(500)), anEvent('x'.repeat(1_000))]
  const { type } = await refusalOf(store.append(aStream(), 'no_stream', [large]))
  t.is(type, ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED)
  t.true((await store.append(aStream(), 'no_stream', [small])).success)
})

test('clients send classic appends to a server without batch append', async (t) => {
  const { server, store } = await aPair(t, { hasBatch: false })
  await store.client.appendToStream(aStream(), [anEvent()], { expectedRevision: 'no_stream' })
  t.deepEqual([server.counters.batchAppends, server.counters.classicAppends], [0, 1])
})
