import { EventStoreDBClient } from '@eventstore/db-client'
import test from 'ava'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { until } from '../../http/until.ts'
import { append, aStream, done, idsOf, readAll, readLog, recordsOf, someEvents } from '../new-events.ts'
import { aServer } from './server-and-client.ts'
import { openAdapter } from './service/instances.ts'

/** Pitfalls of the store's client when reading, one test each. */

const foreign = () => ({
  id: crypto.randomUUID(),
  type: 'Noted',
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.of(),
})

test('thorough: events of the server and of other applications are not part of the log, however many there are', async (t) => {
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  t.is(await store.head(), BEGINNING)
  const [stream, other] = [aStream(), aStream()]
  const [events, more] = [someEvents(stream, 3), someEvents(other, 2)]
  const { storePosition } = done(await append(store, stream, -1, events))
  for (let i = 0; i < 700; i++) {
    for (const name of ['other-1', 'listenPortsToo', 'a-sut-1', 'berth', 'vault-1'])
      server.log.append(name, 'any', [foreign()])
  }
  t.true(server.log.all().filter(({ stream: name }) => name.startsWith('$')).length > 100)
  t.is(await store.head(), storePosition)
  t.is(await (await openAdapter(t, server, 2)).head(), storePosition)
  t.deepEqual(idsOf(await readLog(store, BEGINNING)), idsOf(events))
  t.deepEqual(await readLog(store, storePosition), [])
  const next = done(await append(store, other, -1, more))
  t.is(await store.head(), next.storePosition)
  t.deepEqual(idsOf(await readLog(store, storePosition)), idsOf(more))
  t.is((await recordsOf(store, BEGINNING)).length, 5)
})

test('each event of an append has its own position, from which a reader can resume', async (t) => {
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  const stream = aStream()
  const events = someEvents(stream, 5)
  const { storePosition, revision } = done(await append(store, stream, -1, events))
  const log = await readLog(store, BEGINNING)
  t.is(new Set(log.map((event) => event.storePosition)).size, 5)
  t.deepEqual([log.at(-1)?.storePosition, log.at(-1)?.revision], [storePosition, revision])
  for (const [index, event] of log.entries()) {
    t.deepEqual(idsOf(await readLog(store, event.storePosition)), idsOf(events.slice(index + 1)))
  }
})

test('a read that the closing of the store cuts off fails, instead of ending as if there were no events', async (t) => {
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  const stream = aStream()
  const { storePosition } = done(await append(store, stream, -1, someEvents(stream, 3)))
  server.freeze()
  const { reads } = server.counters
  const reading = Promise.allSettled([readAll(store, stream), store.at(storePosition)])
  await until('both read', async () => server.counters.reads === reads + 2, 60_000)
  await store.close()
  const expected = { status: 'rejected', reason: { name: 'StoreUnavailable' } }
  for (const ended of await reading) t.like(ended, expected)
})

test('every event arrives once although the server repeatedly reports caughtUp', async (t) => {
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  const client = EventStoreDBClient.connectionString(server.address)
  t.teardown(() => client.dispose())
  let reports = 0
  const bare = client.subscribeToAll()
  bare.on('caughtUp', () => reports++).on('data', () => undefined)
  const stream = aStream()
  const batches = store.subscribe(BEGINNING, new AbortController().signal)[Symbol.asyncIterator]()
  t.deepEqual((await batches.next()).value, { events: [], caughtUp: true })
  const [events, seen] = [someEvents(stream, 10), [] as string[]]
  for (const [index, event] of events.entries()) {
    done(await append(store, stream, index - 1, [event]))
    const { value } = await batches.next()
    t.true(value?.caughtUp)
    seen.push(...idsOf(value?.events ?? []))
  }
  t.deepEqual(seen, idsOf(events))
  t.true(reports > 3, `${reports} times`)
  await bare.unsubscribe()
})

test('a missing stream reads as empty instead of failing', async (t) => {
  const store = await openAdapter(t, await aServer(t))
  t.deepEqual(await readAll(store, aStream()), [])
})
