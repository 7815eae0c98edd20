/** What readers that are behind do in one turn of the event loop, however many they are. */

import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import test from 'ava'
import { BEFORE_FIRST, toPublicPosition, toStorePosition } from '../../src/domain/values/position.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { makePace } from '../../src/feed/call-queue.ts'
import { makeGatherings } from '../../src/feed/changes/gatherings.ts'
import type { Change } from '../../src/feed/events/entry.ts'
import { jsonLines } from '../../src/feed/events/frames.ts'
import { type LogReader, makeLogReader } from '../../src/feed/log-reader.ts'
import { startStream } from '../../src/feed/stream.ts'
import type { Views } from '../../src/read-models/views.ts'
import { aStream, logged, someEvents } from '../event-store/new-events.ts'

/** Counts calls, in all and at most in one turn of the event loop. */
const countPerTurn = (t: { teardown: (tidy: () => void) => void }) => {
  const count = { all: 0, inTurn: 0, most: 0 }
  let immediate: NodeJS.Immediate
  const next = (): void => {
    count.inTurn = 0
    immediate = setImmediate(next)
  }
  next()
  t.teardown(() => clearImmediate(immediate))
  return {
    all: () => count.all,
    most: () => count.most,
    add: (): void => {
      count.all++
      count.most = Math.max(count.most, ++count.inTurn)
    },
  }
}

const aChange = (n: number, change: Partial<Change> = {}): Change => ({
  ...{ position: toPublicPosition(n), kind: 'sut', id: `sut-${n}`, sutId: `sut-${n}`, userId: undefined },
  ...{ isOfRoster: false, hasNewQuota: false, hasNewScope: false, retagged: [] },
  ...change,
})

test('64 streams that resume with a scope share what is looked up, a few SUTs and comparisons a turn', async (t) => {
  const [lookedUp, compared] = [countPerTurn(t), countPerTurn(t)]
  const tags = {
    get team() {
      compared.add()
      return 'qa2'
    },
  }
  const look = () => {
    lookedUp.add()
    return tags
  }
  const entries = Array.from({ length: 1_000 }, (_, n) => ({
    position: toPublicPosition(n),
    change: aChange(n, n % 4 === 0 ? { retagged: [2] } : {}),
  }))
  const reader = {
    readAfter: async (_: string, position: number) => entries.slice(position + 1, position + 65),
    follow: () => () => undefined,
  }
  const gatherings = makeGatherings({
    reader: reader as unknown as LogReader,
    views: { position: () => toPublicPosition(999), waitUntilDurable: () => undefined },
    limits: { interval: 1, entries: 500, behind: 1_000 },
    sight: { now: look, before: look, isRequestIn: () => false },
    ...{ prepareRequests: async () => undefined, settled: () => undefined },
  })
  gatherings.follow(() => undefined)
  const viewer = { userId: 'alice', role: 'tester', scope: { team: 'qa1' } } as const
  const told = await Promise.all(
    Array.from({ length: 64 }, (_, n) => gatherings.readAfter('alice', () => viewer, toPublicPosition(n - 1))),
  )
  t.true(told.every((gathering) => gathering?.changes?.length === 0))
  t.true(lookedUp.all() <= 1_250, 'each once')
  t.true(lookedUp.most() <= 128, `${lookedUp.most()} SUTs looked up in one turn`)
  t.true(compared.all() > 50_000)
  t.true(compared.most() <= 4_096, `${compared.most()} comparisons in one turn`)
})

/** A log of events of one stream, whose store counts the pages that it reads. */
const readerOf = (t: Parameters<typeof countPerTurn>[0], count: number) => {
  const pages = countPerTurn(t)
  const stream = aStream()
  const events = someEvents(stream, count).map((event, revision) =>
    logged({ ...event, stream, revision, storePosition: toStorePosition(revision) }),
  )
  const store = {
    async *subscribe(after: number) {
      for (let next = after + 1; next < count; next += 256) {
        pages.add()
        yield { events: events.slice(next, next + 256), caughtUp: false }
      }
    },
  }
  const log = {
    storePositionAt: (position: number) => position,
    positionOf: (id: string) => events.findIndex((event) => event.id === id),
  }
  const views = {
    log: () => log as unknown as ReturnType<Views['log']>,
    position: () => toPublicPosition(count - 1),
    waitUntilDurable: () => undefined,
    watch: () => () => undefined,
  }
  const reader = makeLogReader({ store: store as unknown as EventStore, views, origin: 'test' })
  return {
    pages,
    read: (userId: string, position: number) => reader.readAfter(userId, toPublicPosition(position)),
  }
}

test('200 readers behind at different positions read at most two pages of the log a turn', async (t) => {
  const { pages, read } = readerOf(t, 64 * 200)
  const read200 = await Promise.all(Array.from({ length: 200 }, (_, n) => read(`user-${n}`, 64 * n - 1)))
  t.deepEqual(
    read200.map((entries) => entries[0]?.position),
    Array.from({ length: 200 }, (_, n) => 64 * n),
  )
  t.true(pages.all() >= 50)
  t.true(pages.most() <= 2, `${pages.most()} pages in one turn`)
})

test('a user with many streams that are behind does not delay the reads of others', async (t) => {
  const { read } = readerOf(t, 64 * 100)
  const order: string[] = []
  const reads = (userId: string, positions: readonly number[]) =>
    positions.map(async (position) => {
      await read(userId, position)
      order.push(userId)
    })
  await Promise.all([
    ...reads(
      'alice',
      Array.from({ length: 60 }, (_, n) => 64 * n - 1),
    ),
    ...reads('bob', [64 * 90 - 1]),
  ])
  t.true(order.indexOf('bob') <= 2, `after ${order.indexOf('bob')} of Alice’s`)
})

test('200 streams that have something to read write a few at a time', async (t) => {
  const written = countPerTurn(t)
  const pace = makePace()
  const streams = Array.from({ length: 200 }, () => {
    const response = Object.assign(new EventEmitter(), { write: () => true, end: () => undefined, destroyed: false })
    return startStream(response as unknown as ServerResponse, {
      ...{ after: BEFORE_FIRST, end: toPublicPosition(2), format: jsonLines, pace },
      ...{ heartbeat: 1_000, stallTimeout: 1_000, retry: 0, onFailed: (error) => t.fail(String(error)) },
      readAfter: async (after) => [toPublicPosition(after + 1)],
      follow: () => () => undefined,
      encode: ([to = BEFORE_FIRST]) => {
        written.add()
        return { bytes: '', to, told: to }
      },
    })
  })
  t.deepEqual(new Set(await Promise.all(streams.map(({ ended }) => ended))), new Set(['done']))
  t.is(written.all(), 600)
  t.true(written.most() <= 32, `${written.most()} writes in one turn`)
})
