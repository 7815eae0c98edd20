/** Observed behaviour of real nodes with many events of other applications, and with slow subscribers. */

import test from 'ava'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { BEGINNING } from '../../../src/event-store/event-store.ts'
import { until } from '../../http/until.ts'
import { append, appendPatiently, aStream, done, idsOf, readLog, recordsOf, someEvents } from '../new-events.ts'
import { noted } from './protocol/log.ts'
import type { ProtocolServer } from './protocol/protocol-server.ts'
import { aServer } from './server-and-client.ts'
import { anAdapter, openAdapter } from './service/instances.ts'
import { aReadyService } from './service/outage.ts'

const OTHERS = 50_000

const writeOthers = ({ log }: Pick<ProtocolServer, 'log'>, name: string): void => {
  for (let n = 0; n < OTHERS; n += 500) log.append(`${name}-${n}`, 'any', Array.from({ length: 500 }, noted))
}

test('thorough: a new log in a store with 50,000 other events is ready without reading them', async (t) => {
  const { log } = await aServer(t)
  writeOthers({ log }, 'others')
  const { service, server } = await aReadyService(t, { log })
  t.is((await service.anyone.get('/health/ready')).status, 200)
  // Among them are the users and their secrets.
  t.true(server.counters.eventsSent < 40, `${server.counters.eventsSent} events were sent`)
})

test('thorough: the end of the log is found without reading 50,000 later events of other applications', async (t) => {
  const server = await aServer(t)
  writeOthers(server, 'others')
  const store = await openAdapter(t, server)
  t.is(await store.head(), BEGINNING)
  const stream = aStream()
  const { storePosition } = done(await append(store, stream, -1, someEvents(stream, 3)))
  writeOthers(server, 'later')
  const { eventsSent } = server.counters
  t.is(await store.head(), storePosition)
  t.deepEqual(await readLog(store, storePosition), [])
  t.true(server.counters.eventsSent - eventsSent < 20, `${server.counters.eventsSent} events were sent`)
})

test("events in streams named similarly to Berth's are not part of the log, and do not hide its end", async (t) => {
  const { server, store, stream } = await anAdapter(t)
  const write = (count: number): void => {
    for (let n = 0; n < count; n++)
      for (const name of [
        ...['listenPortsToo', 'listenPorts-old', 'users-1', 'requests2', 'webhook', 'matches', 'berth', 'a-sut-1'],
        'vault-1',
      ])
        server.log.append(name, 'any', [noted()])
  }
  write(1)
  t.is(await store.head(), BEGINNING)
  const events = someEvents(stream, 2)
  const { storePosition } = done(await append(store, stream, -1, events))
  write(100)
  t.is(await store.head(), storePosition)
  t.deepEqual(idsOf(await readLog(store, BEGINNING)), idsOf(events))
  t.is((await recordsOf(store, BEGINNING)).length, 2)
})

for (const version of ['23.10.8', '24.10.9']) {
  test(`on ${version}, reading at a position between events returns nothing`, async (t) => {
    const { server, store, stream } = await anAdapter(t, { version })
    const events = someEvents(stream, 2)
    const { storePosition } = done(await append(store, stream, -1, events))
    const { reads } = server.counters
    for (const nowhere of [storePosition - 1, storePosition + 1, storePosition + 1_000_000])
      t.is(await store.at(toStorePosition(nowhere)), undefined)
    // One read each; on a busy machine one whose answer is late is repeated.
    t.true(server.counters.reads - reads <= 6)
    t.is((await store.at(storePosition))?.id, events[1]?.id)
  })
}

test('thorough: a subscriber that stalls for 5,000 events is not disconnected and gets them all', async (t) => {
  const server = await aServer(t, { version: '23.10.8' })
  const [store, writer] = [await openAdapter(t, server, 1), await openAdapter(t, server, 2)]
  const stream = aStream()
  const batches = store.subscribe(BEGINNING, new AbortController().signal)[Symbol.asyncIterator]()
  t.true((await batches.next()).value?.caughtUp)
  const events = someEvents(stream, 5_000)
  const { eventsSent } = server.counters
  for (let n = 0; n < events.length; n += 100) {
    done(await appendPatiently(writer, stream, n - 1, events.slice(n, n + 100)))
  }
  await until('sent', async () => server.counters.eventsSent - eventsSent >= events.length, 60_000)
  const seen: string[] = []
  while (seen.length < events.length) seen.push(...idsOf((await batches.next()).value?.events ?? []))
  t.deepEqual(seen, idsOf(events))
  await batches.return?.()
})

test('thorough: a subscriber that stalls at the start of 20,000 events is sent a bounded part, and gets the rest later', async (t) => {
  const { server, store, stream } = await anAdapter(t)
  const events = someEvents(stream, 20_000)
  const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
  server.log.append(
    stream,
    'no_stream',
    events.map((event) => ({ ...event, data: bytes(event.data), metadata: bytes(event.metadata) })),
  )
  const batches = store.subscribe(BEGINNING, new AbortController().signal)[Symbol.asyncIterator]()
  const seen = [...idsOf((await batches.next()).value?.events ?? [])]
  const { counters } = server
  let last = -1
  let same = 0
  const isSettled = async (): Promise<boolean> => {
    same = counters.eventsSent === last ? same + 1 : 0
    last = counters.eventsSent
    return same >= 30
  }
  await until('the server has sent what it can', isSettled, 60_000)
  t.true(last < 12_000, `${last} events were sent`)
  while (seen.length < events.length) seen.push(...idsOf((await batches.next()).value?.events ?? []))
  t.deepEqual(seen, idsOf(events))
  await batches.return?.()
})
