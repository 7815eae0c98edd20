import test, { type ExecutionContext } from 'ava'
import { toStorePosition } from '../../../../src/domain/values/position.ts'
import { BEGINNING } from '../../../../src/event-store/event-store.ts'
import { until } from '../../../http/until.ts'
import { append, appendPatiently, aStream, done, idsOf, readLog, someEvents } from '../../new-events.ts'
import type { ProtocolServer, ProtocolServerOptions } from '../protocol/protocol-server.ts'
import { aServer } from '../server-and-client.ts'
import { openAdapter } from './instances.ts'
import { aReadyService } from './outage.ts'

/** Observed behaviour of real nodes with many events of other applications, and with slow subscribers. */

const noted = () => ({
  id: crypto.randomUUID(),
  type: 'Noted',
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.of(),
})

const OTHERS = 50_000

const writeOthers = ({ log }: ProtocolServer, count = OTHERS): void => {
  for (let n = 0; n < count; n += 500) log.append(`others-${n}-${count}`, 'any', Array.from({ length: 500 }, noted))
}

const aCrowdedServer = async (t: ExecutionContext, options?: ProtocolServerOptions) => {
  const server = await aServer(t, options)
  writeOthers(server)
  return server
}

test('thorough: a new log in a store with 50,000 other events is ready without reading them', async (t) => {
  const { log } = await aCrowdedServer(t)
  const began = performance.now()
  const { service, server } = await aReadyService(t, { log })
  t.log(`${Math.round(performance.now() - began)} ms`)
  t.is((await service.anyone.get('/health/ready')).status, 200)
  // Among them are the users and their secrets.
  t.true(server.counters.eventsSent < 40, `${server.counters.eventsSent} events were sent`)
})

test('thorough: the end of the log is found without reading 50,000 later events of other applications', async (t) => {
  const server = await aCrowdedServer(t)
  const store = await openAdapter(t, server)
  t.is(await store.head(), BEGINNING)
  const stream = aStream()
  const { storePosition } = done(await append(store, stream, -1, someEvents(stream, 3)))
  writeOthers(server, OTHERS + 500)
  const { eventsSent } = server.counters
  t.is(await store.head(), storePosition)
  t.deepEqual(await readLog(store, storePosition), [])
  t.true(server.counters.eventsSent - eventsSent < 20, `${server.counters.eventsSent} events were sent`)
})

test("streams named similarly to Berth's do not hide the end of the log", async (t) => {
  const server = await aServer(t)
  const store = await openAdapter(t, server)
  for (const name of ['listenPortsToo', 'berth-logs']) server.log.append(name, 'any', [noted()])
  t.is(await store.head(), BEGINNING)
  const stream = aStream()
  const { storePosition } = done(await append(store, stream, -1, someEvents(stream, 2)))
  for (let n = 0; n < 100; n++) server.log.append('listenPortsToo', 'any', [noted()])
  t.is(await store.head(), storePosition)
})

for (const version of ['23.10.8', '24.10.9']) {
  test(`on ${version}, reading at a position between events returns nothing`, async (t) => {
    const server = await aServer(t, { version })
    const store = await openAdapter(t, server)
    const stream = aStream()
    const [first, second] = someEvents(stream, 2)
    const events = [first, second] as NonNullable<typeof first>[]
    const { storePosition } = done(await append(store, stream, -1, events))
    const { reads } = server.counters
    for (const nowhere of [storePosition - 1, storePosition + 1, storePosition + 1_000_000])
      t.is(await store.at(toStorePosition(nowhere)), undefined)
    // One read each; on a busy machine one whose answer is late is repeated.
    t.true(server.counters.reads - reads <= 6)
    t.is((await store.at(storePosition))?.id, second?.id)
  })
}

/** Events written while a consumer is stalled. */
const BUSY = 5_000

const stall = async (t: ExecutionContext, count: number) => {
  const server = await aServer(t, { version: '23.10.8' })
  const [store, writer] = [await openAdapter(t, server, 1), await openAdapter(t, server, 2)]
  const stream = aStream()
  const batches = store.subscribe(BEGINNING, new AbortController().signal)[Symbol.asyncIterator]()
  t.true((await batches.next()).value?.caughtUp)
  const events = someEvents(stream, count)
  const { eventsSent } = server.counters
  for (let n = 0; n < count; n += 100) {
    done(await appendPatiently(writer, stream, n - 1, events.slice(n, n + 100)))
  }
  return { server, store, batches, events, sent: () => server.counters.eventsSent - eventsSent }
}

test('thorough: a subscriber that stalls for 5,000 events is not disconnected and gets them all', async (t) => {
  const { batches, events, sent } = await stall(t, BUSY)
  await until('sent', async () => sent() >= BUSY, 60_000)
  const seen: string[] = []
  while (seen.length < BUSY) seen.push(...idsOf((await batches.next()).value?.events ?? []))
  t.deepEqual(seen, idsOf(events))
  await batches.return?.()
})

test('control: a 23.10 node disconnects a subscriber that stalls for 30,000 events', async (t) => {
  const { batches } = await stall(t, 30_000)
  const toTheEnd = async (): Promise<void> => {
    for (let n = 0; n < 30_000; ) n += (await batches.next()).value?.events.length ?? 0
  }
  await t.throwsAsync(toTheEnd, { name: 'StoreUnavailable', message: /Consumer too slow/ })
})
