/** Stores that fail, change their log, or count events. */

import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { BEFORE_FIRST, toPublicPosition } from '../../src/domain/values/position.ts'
import { BEGINNING, type EventStore, StoreUnavailable } from '../../src/event-store/event-store.ts'
import { makePace } from '../../src/feed/call-queue.ts'
import { eventStream } from '../../src/feed/events/frames.ts'
import { startStream } from '../../src/feed/stream.ts'
import { startEmbedded } from '../archive/copying.ts'
import { type } from '../command-line/terminal.ts'
import { aServer } from '../event-store/eventstoredb/server-and-client.ts'
import { aLogOn, openAt } from '../event-store/eventstoredb/subject.ts'
import { recordsOf } from '../event-store/new-events.ts'
import { idOf, type Running, start, temporaryData } from '../http/harness.ts'
import { NOW } from '../http/requests.ts'
import { allEventsOf, type Event } from '../http/store/log-rows.ts'
import { changedStore } from '../http/store/stores.ts'
import { until } from '../http/until.ts'
import { makeRandom, seedOf } from '../process/random.ts'
import { rounds } from '../thorough.ts'
import { type Follower, faultsOf, followEventStream, followLines, followPages, type Wanted } from './gaps.ts'
import { dataWithLog, VAULT } from './log-file.ts'
import { eventsIn, LINES, openStream, sequenceAt } from './readers.ts'
import { begin, write } from './writing.ts'

/** A store whose subscriptions fail after a few events. */
const failingAfter = (events: number) => {
  let breaks = 0
  return {
    breaks: () => breaks,
    change: (store: EventStore): Partial<EventStore> => ({
      async *subscribe(after, signal) {
        let given = 0
        for await (const batch of store.subscribe(after, signal)) {
          yield batch
          given += batch.events.length
          if (given < events) continue
          breaks++
          throw new StoreUnavailable('the line is cut')
        }
      },
    }),
  }
}

/** A store whose subscriptions fail on demand, and whose log then has different events. */
const replaceable = () => {
  const cut = Promise.withResolvers<never>()
  cut.promise.catch(() => undefined)
  let isOther = false
  return {
    replace: (): void => {
      isOther = true
      cut.reject(new StoreUnavailable('the line is cut'))
    },
    change: (store: EventStore): Partial<EventStore> => ({
      async *subscribe(after, signal) {
        const batches = store.subscribe(after, signal)[Symbol.asyncIterator]()
        for (;;) {
          const { value, done } = await Promise.race([batches.next(), cut.promise])
          if (done) return
          yield value
        }
      },
      async *readStream(stream, after) {
        for await (const page of store.readStream(stream, after)) {
          yield isOther ? page.map((event) => ({ ...event, id: event.id.replace(/^./, 'f') })) : page
        }
      },
    }),
  }
}

/** A store that counts the events of its subscriptions. */
const counted = () => {
  let events = 0
  return {
    events: () => events,
    change: (store: EventStore): Partial<EventStore> => ({
      async *subscribe(after, signal) {
        for await (const batch of store.subscribe(after, signal)) {
          events += batch.events.length
          yield batch
        }
      },
    }),
  }
}

/** Readers receive each event once and in order, wherever they are disconnected. */

/** Frequent checkpoints, so that filtered readers need not wait long. */
const FEED = { heartbeat: 100, checkInterval: 20 }

const ALL: Wanted = { query: '', isWanted: () => true }
const RESERVATIONS: Wanted = {
  query: 'type=berth.ReservationCreated&type=SutCreated',
  isWanted: ({ type }) => type === 'ReservationCreated' || type === 'SutCreated',
}
const OF_BOB: Wanted = {
  query: `user_id=${idOf('bob')}`,
  isWanted: ({ data }) => data.user_id === idOf('bob') || data._id === idOf('bob'),
}
const ofSut = (sut: string): Wanted => ({
  query: `sut_id=${sut}`,
  isWanted: ({ data }) => data._id === sut || data.sut_id === sut,
})

const getFrom =
  (services: readonly Running[]) =>
  async (port: number, path: string): Promise<string> => {
    const answer = await (services.find((one) => one.port === port) as Running).as('audrey').get(path)
    if (answer.status !== 200) throw new Error(answer.text)
    return answer.text
  }

interface Crowd {
  readonly follower: Follower
  readonly wanted: Wanted
}

/** Readers of every format, with and without filters. */
const crowdOf = (t: ExecutionContext, services: readonly Running[], suts: readonly string[]): readonly Crowd[] => {
  const random = makeRandom(seedOf(process.env))
  t.log(`seed ${random.seed}`)
  const ports = (): number => random.oneOf(services).port
  const get = getFrom(services)
  const options = { ports, random }
  const kinds = [
    (wanted: Wanted) => followEventStream({ ...options, ...wanted, takeMax: 1 }),
    (wanted: Wanted) => followLines({ ...options, ...wanted }),
    (wanted: Wanted) => followPages({ ...options, ...wanted }, get),
  ]
  const filtered = [RESERVATIONS, OF_BOB, ofSut(suts[1] as string)]
  return kinds.flatMap((follow, i) =>
    [ALL, filtered[i] as Wanted].map((wanted) => ({ wanted, follower: follow(wanted) })),
  )
}

const faultsIn = (crowd: readonly Crowd[], log: readonly Event[]): readonly (readonly string[])[] =>
  crowd.map(({ follower, wanted }) => faultsOf(follower.read, log, wanted.isWanted))

test('thorough: readers disconnected at every position receive each event once and in order during writes', async (t) => {
  const service = await start(t, { now: NOW, feed: FEED })
  const [backlog, more] = [rounds(24, 96), rounds(24, 100)]
  const suts = await begin(service.as('admin'), backlog)
  const crowd = crowdOf(t, [service], suts)
  const last = 9 + backlog + more - 1
  await Promise.all([
    write(service.as('admin'), suts[0], backlog, more),
    ...crowd.map(({ follower }) => follower.upTo(last)),
  ])
  const log = await allEventsOf(service)
  t.is(log.length, last + 1)
  t.deepEqual(
    faultsIn(crowd, log),
    crowd.map(() => []),
  )
  t.true((crowd[0] as Crowd).follower.cuts() > last)
})

test('thorough: readers resume at their positions after the log is copied to an EventStoreDB', async (t) => {
  const embedded = await startEmbedded(t, { feed: FEED })
  const { data } = embedded
  const suts = await begin(embedded.as('admin'), 40)
  const services = [embedded]
  const crowd = crowdOf(t, services, suts)
  const upTo = (position: number) => Promise.all(crowd.map(({ follower }) => follower.upTo(position)))
  // By then the readers are at different positions.
  await upTo(25)
  await embedded.stop()
  const server = await aServer(t)
  const to = aLogOn(server.address)
  t.is((await type(['copy', '--from', `sqlite:${data}/events.db`, '--to', to])).code, 0)
  await rm(join(data, 'views.db'))
  const moved = await start(t, { now: NOW, data, feed: FEED, environment: { BERTH_EVENT_STORE: to } })
  services[0] = moved
  await until('ready', async () => (await moved.anyone.get('/health/ready')).status === 200, 60_000)
  const last = 9 + 40 + 20 - 1
  await Promise.all([write(moved.as('admin'), suts[0], 40, 20), upTo(last)])
  const log = (await recordsOf(await openAt(t, to), BEGINNING)).map(({ text }) => JSON.parse(text) as Event)
  t.is(log.length, last + 1)
  t.deepEqual(
    faultsIn(crowd, log),
    crowd.map(() => []),
  )
})

test('an interrupted store subscription causes no gap or repeat, and the stream continues', async (t) => {
  const { change, breaks } = failingAfter(7)
  const openStore = changedStore(join(await temporaryData(t), 'events.db'), change)
  const service = await start(t, { now: NOW, openStore, feed: FEED })
  const [sut] = await begin(service.as('admin'), 30)
  const stream = await openStream(service.port)
  await write(service.as('admin'), sut, 30, 30)
  const reading = await stream.until((so) => eventsIn(so).length >= 69)
  const { events } = (await service.as('audrey').get('/api/events?limit=1000')).json as { events: readonly Event[] }
  t.deepEqual(
    eventsIn(reading).map(({ data }) => data),
    events.map((event) => JSON.stringify(event)),
  )
  t.is(new Set(events.map(({ id }) => id)).size, 69)
  t.true(breaks() > 5)
})

test('an event that comes while a reader finds nothing is delivered at once', async (t) => {
  const reads: number[] = []
  let onChange = (): void => undefined
  const server = createServer((_, response) => {
    startStream(response, {
      ...{ after: BEFORE_FIRST, end: undefined, format: eventStream, retry: 1, pace: makePace() },
      ...{ heartbeat: 60_000, stallTimeout: 60_000, onFailed: (error) => t.fail(String(error)) },
      readAfter: async (after) => {
        const isLate = reads.push(after) > 1 && after < 0
        onChange()
        return isLate ? ['late'] : []
      },
      follow: (call) => {
        onChange = call
        return () => undefined
      },
      encode: () => {
        onChange = () => undefined
        const to = toPublicPosition(0)
        return { bytes: eventStream.checkpoint(to), to, told: to }
      },
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const stream = await openStream((server.address() as AddressInfo).port)
  t.is((await stream.until(({ messages }) => messages.length > 0)).messages[0]?.position, sequenceAt(0))
  stream.close()
})

test('a replaced log ends streams with another_log', async (t) => {
  const { change, replace } = replaceable()
  const openStore = changedStore(join(await temporaryData(t), 'events.db'), change)
  const service = await start(t, { now: NOW, openStore, feed: FEED })
  await begin(service.as('admin'), 4)
  const streams = [await openStream(service.port), await openStream(service.port, '?type=SutRetired')]
  await streams[0]?.until((so) => eventsIn(so).length === 13)
  replace()
  for (const stream of streams) {
    const { messages } = await stream.until((so) => so.messages.at(-1)?.kind === 'error')
    t.is(JSON.parse(messages.at(-1)?.data ?? '').code, 'another_log')
    t.is(await stream.ended, 'whole')
  }
})

test('thorough: ten concurrent readers at one position share one read of the store', async (t) => {
  const { change, events } = counted()
  const data = await dataWithLog(t, 3_000, 1)
  const openStore = changedStore(join(data, 'events.db'), change)
  const service = await start(t, { data, openStore, environment: VAULT, now: NOW })
  await until('it is ready', async () => (await service.anyone.get('/health/ready')).status === 200, 60_000)
  const before = events()
  const readers = Array.from({ length: 10 }, () => service.as('audrey').get('/api/events', { Accept: LINES }))
  const texts = (await Promise.all(readers)).map(({ text }) => text)
  t.is(new Set(texts).size, 1)
  t.is(texts[0]?.trimEnd().split('\n').length, 3_005 + 1)
  t.true(events() - before < 4_000, `${events() - before} were read`)
})
