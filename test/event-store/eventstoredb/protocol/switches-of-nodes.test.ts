import { once } from 'node:events'
import { connect } from 'node:net'
import { ErrorType } from '@eventstore/db-client'
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { anEvent, aStream, idsOf, readStream, refusalOf, someEvents, take } from '../conformance/law.ts'
import { aPair, aServer, aStore, codeOf, countIn, elsewhere, endingOf, exhausted } from '../server-and-client.ts'
import { failure } from './wire.ts'

test('a configured latency delays responses', async (t) => {
  const { server, store } = await aPair(t)
  await store.append(aStream(), 'no_stream', someEvents(1))
  server.delayAnswers(120)
  const before = performance.now()
  await store.append(aStream(), 'no_stream', someEvents(1))
  // Timers may be early by less than a millisecond.
  t.true(performance.now() - before > 118)
})

test('a frozen server answers neither old nor new connections until it thaws', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  await store.append(aStream(), 'no_stream', someEvents(1))
  server.freeze()
  const waiting = store.append(stream, 'no_stream', someEvents(1))
  const socket = connect(server.endpoint.port, server.endpoint.address)
  t.teardown(() => socket.destroy())
  let heard = 0
  socket.on('data', ({ length }) => {
    heard += length
  })
  for (const address of [server.address, elsewhere(server.address)]) {
    const late = aStore(t, address, 150).append(aStream(), 'no_stream', someEvents(1))
    t.is((await refusalOf(late)).type, ErrorType.DEADLINE_EXCEEDED)
  }
  t.is(heard, 0)
  server.thaw()
  await once(socket, 'data')
  t.is((await waiting).nextExpectedRevision, 0n)
  t.is(await countIn(aStore(t, elsewhere(server.address)), stream), 1)
})

test('a frozen server sends its subscribers nothing until it thaws', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  const subscription = store.client.subscribeToStream(stream)
  await once(subscription, 'confirmation')
  server.freeze()
  server.log.append(stream, 'no_stream', [
    {
      id: crypto.randomUUID(),
      type: 'A',
      contentType: 'application/json',
      data: Buffer.from('{}'),
      metadata: Buffer.of(),
    },
  ])
  const late = aStore(t, server.address, 150).append(aStream(), 'no_stream', someEvents(1))
  await refusalOf(late)
  t.is(server.counters.eventsSent, 0)
  server.thaw()
  t.is((await take(subscription, 1)).length, 1)
})

test('dropping connections fails calls in flight, and clients can reconnect at once', async (t) => {
  const { server, store } = await aPair(t)
  const subscription = store.client.subscribeToAll()
  await once(subscription, 'confirmation')
  const ending = endingOf(subscription)
  server.dropConnections()
  t.not((await ending).type, undefined)
  const again = aStore(t, server.address)
  t.true((await again.append(aStream(), 'no_stream', someEvents(1))).success)
  t.is(server.counters.connections, 2)
})

test('a stopped server refuses connections, and restarts on the same port with its log', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  const events = someEvents(2)
  await store.append(stream, 'no_stream', events)
  await server.stop()
  t.is(await codeOf(store.append(stream, 1n, someEvents(1))), status.UNAVAILABLE)
  await server.start()
  const again = aStore(t, elsewhere(server.address))
  t.deepEqual(idsOf(await readStream(again, stream)), idsOf(events))
  t.is((await again.append(stream, 'no_stream', events)).nextExpectedRevision, 1n)
})

test('a repeated append with `any` is detected until the server restarts', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  const events = someEvents(1)
  await store.append(stream, 'any', events)
  await store.append(stream, 'any', events)
  t.is(await countIn(store, stream), 1)
  await server.restart()
  const again = aStore(t, elsewhere(server.address))
  await again.append(stream, 'any', events)
  t.is(await countIn(again, stream), 2)
})

const endings = {
  [ErrorType.CANCELLED]: failure(status.CANCELLED, 'The operation was cancelled.'),
  [ErrorType.UNAVAILABLE]: failure(status.UNAVAILABLE, 'Server Is Shutting Down'),
  [ErrorType.UNKNOWN]: failure(status.INTERNAL, 'Received RST_STREAM with code 2'),
  [ErrorType.TIMEOUT]: failure(status.ABORTED, 'Operation timed out: Consumer too slow to handle event while live'),
}

for (const [type, ending] of Object.entries(endings)) {
  test(`subscriptions can be ended with an error of type ${type}, and restarted`, async (t) => {
    const { server, store } = await aPair(t)
    const stream = aStream()
    await store.append(stream, 'no_stream', someEvents(1))
    const subscription = store.client.subscribeToStream(stream)
    await once(subscription, 'confirmation')
    const ended = endingOf(subscription)
    server.endSubscriptions(ending)
    t.is((await ended).type as string, type)
    t.is((await take(aStore(t, server.address).client.subscribeToStream(stream), 1)).length, 1)
    t.is(server.counters.subscriptions, 2)
  })
}

test('a server that is not ready refuses classic and batch appends', async (t) => {
  const { server, store } = await aPair(t)
  const batch = (): Promise<unknown> => store.client.appendToStream(aStream(), anEvent(), { expectedRevision: 'any' })
  await batch()
  server.setReady(false)
  t.is((await refusalOf(store.append(aStream(), 'no_stream', someEvents(1)))).type, ErrorType.UNAVAILABLE)
  t.is(await codeOf(readStream(store, aStream())), status.UNAVAILABLE)
  // Batch appends identify errors by their details, and this error has none.
  t.like(await refusalOf(batch()), { type: ErrorType.UNKNOWN, message: 'Could not recognize Server Is Not Ready' })
  server.setReady(true)
  await batch()
})

test('reads and subscriptions fail the configured number of times', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  await store.append(stream, 'no_stream', someEvents(1))
  server.failNext('read', exhausted, 2)
  server.failNext('subscription', exhausted)
  t.is(await codeOf(readStream(store, stream)), status.RESOURCE_EXHAUSTED)
  t.is(await codeOf(readStream(store, stream)), status.RESOURCE_EXHAUSTED)
  t.is(await countIn(store, stream), 1)
  t.is(await codeOf(take(store.client.subscribeToAll(), 1)), status.RESOURCE_EXHAUSTED)
  t.is((await take(store.client.subscribeToStream(stream), 1)).length, 1)
})

test('a follower names the leader, and the client goes there', async (t) => {
  const leader = await aServer(t)
  const { server, store } = await aPair(t, { log: leader.log })
  const stream = aStream()
  server.setLeader(leader.endpoint)
  t.is((await refusalOf(store.append(stream, 'no_stream', someEvents(1)))).type, ErrorType.NOT_LEADER)
  await store.append(stream, 'no_stream', someEvents(1))
  t.deepEqual([server.counters.classicAppends, leader.counters.classicAppends], [1, 1])
})

test("a follower's gossip leads the client to the leader, and both share the log", async (t) => {
  const leader = await aServer(t)
  const follower = await aServer(t, { log: leader.log })
  follower.setLeader(leader.endpoint)
  const { port } = follower.endpoint
  const store = aStore(t, `esdb://127.0.0.1:${port},127.0.0.1:${port}?tls=false&nodePreference=leader`)
  const stream = aStream()
  await store.append(stream, 'no_stream', someEvents(1))
  t.true(follower.counters.gossips > 0)
  t.deepEqual([follower.counters.classicAppends, leader.counters.classicAppends], [0, 1])
  t.is(await countIn(aStore(t, follower.address), stream), 1)
})

test('thorough: a stalled subscriber is not sent the whole log', async (t) => {
  const { server, store } = await aPair(t)
  const stream = aStream()
  for (let batch = 0; batch < 10; batch++) {
    const events = Array.from({ length: 200 }, () => anEvent('x'.repeat(300)))
    await store.append(stream, batch === 0 ? 'no_stream' : BigInt(batch * 200 - 1), events)
  }
  const subscription = store.client.subscribeToStream(stream, {}, { highWaterMark: 4 })
  await once(subscription, 'confirmation')
  await store.append(aStream(), 'no_stream', someEvents(1))
  t.true(server.counters.eventsSent < 1_500)
  t.is((await take(subscription, 2_000)).length, 2_000)
})
