import { join } from 'node:path'
import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import type { Recorded } from '../../../src/domain/event.ts'
import { type StorePosition, toPublicPosition } from '../../../src/domain/values/position.ts'
import { BEGINNING, type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { temporaryData } from '../../http/harness.ts'
import { rowsIn, story, tell, viewsOn } from '../../read-models/setting.ts'
import { rounds } from '../../thorough.ts'
import { append, aStream, done, idsOf, readLog, someEvents } from '../new-events.ts'
import { noted } from './protocol/log.ts'
import type { ProtocolServer } from './protocol/protocol-server.ts'
import { failure } from './protocol/wire.ts'
import { aServer } from './server-and-client.ts'
import { openAdapter } from './service/instances.ts'

/** Observed ways in which subscriptions or whole connections end. */
const cuts: readonly ((server: ProtocolServer) => void)[] = [
  (server) => server.endSubscriptions(failure(status.UNAVAILABLE, 'Server Is Shutting Down')),
  (server) => server.endSubscriptions(failure(status.INTERNAL, 'Received RST_STREAM with code 2')),
  (server) => server.endSubscriptions(failure(status.ABORTED, 'Operation timed out: Consumer too slow')),
  (server) => server.endSubscriptions(failure(status.CANCELLED, 'The operation was cancelled.')),
  (server) => server.dropConnections(),
]

/** A log of Berth events, mixed with events of the server and of other applications. */
const aLog = async (t: ExecutionContext, count: number) => {
  const server = await aServer(t)
  const [store, writer] = [await openAdapter(t, server, 1), await openAdapter(t, server, 2)]
  const streams = [aStream(), aStream(), aStream()]
  const revisions = [-1, -1, -1]
  for (let events = 0, size = 1; events < count; events += size, size = Math.min(1 + (size % 9), count - events)) {
    const place = size % streams.length
    const stream = streams[place] as string
    revisions[place] = done(await append(writer, stream, revisions[place] as number, someEvents(stream, size))).revision
    // Names similar to Berth's streams.
    for (const name of ['other-1', 'listenPortsToo', 'a-sut-1']) server.log.append(name, 'any', [noted()])
  }
  return { server, store, writer, log: await readLog(writer, BEGINNING) }
}

/** Subscribes, and resubscribes after the last event whenever disconnected. */
const follow = async (
  store: EventStore,
  after: StorePosition,
  isEnough: (seen: readonly Recorded[]) => boolean,
): Promise<readonly Recorded[]> => {
  const seen: Recorded[] = []
  for (;;) {
    try {
      for await (const { events } of store.subscribe(
        seen.at(-1)?.storePosition ?? after,
        new AbortController().signal,
      )) {
        seen.push(...events)
        if (isEnough(seen)) return seen
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
  }
}

const atLeast = (count: number) => (seen: readonly Recorded[]) => seen.length >= count

/** Number of events to compare after a position. */
const BEHIND = 20

test('a subscription cut at any event, during writes, resumes without gaps or repeats', async (t) => {
  const count = rounds(30, 300)
  const { server, store, writer, log } = await aLog(t, count)
  const ids = [...idsOf(log)]
  const stream = aStream()
  let cut = 0
  for (let n = 1; n <= count; n++) {
    // Every 25th from the start of the log, others from up to ten events before the cut.
    const from = n % 25 === 0 ? 0 : n - 1 - (n % 10 < n ? n % 10 : 0)
    server.afterSending(n - from, () => cuts[cut++ % cuts.length]?.(server))
    const events = someEvents(stream, 1)
    const writing = append(writer, stream, ids.length - count - 1, events)
    const wanted = Math.min(n + BEHIND, ids.length + 1) - from
    const following = follow(store, log[from - 1]?.storePosition ?? BEGINNING, atLeast(wanted))
    done(await writing)
    ids.push(...idsOf(events))
    const seen = idsOf(await following)
    if (seen.join() !== ids.slice(from, from + seen.length).join()) return t.fail(`cut at ${n}: ${seen.length} events`)
  }
  t.is(cut, count)
})

test('a subscription that a node accepts but never confirms ends, and the next one is confirmed', async (t) => {
  const server = await aServer(t)
  const [store, writer] = [await openAdapter(t, server, 1), await openAdapter(t, server, 2)]
  const events = someEvents(aStream(), 1)
  done(await append(writer, aStream(), -1, events))
  server.stallNextSubscription()
  const subscribe = () => store.subscribe(BEGINNING, new AbortController().signal)[Symbol.asyncIterator]()
  await t.throwsAsync(subscribe().next(), { instanceOf: StoreUnavailable, message: /does not confirm/ })
  const { value } = await subscribe().next()
  t.deepEqual(idsOf(value?.events ?? []), idsOf(events))
})

test('views whose subscription is cut every few events have the same rows as a rebuild', async (t) => {
  const server = await aServer(t)
  const [store, writer] = [await openAdapter(t, server, 1), await openAdapter(t, server, 2)]
  const data = await temporaryData(t)
  const [path, rebuilt] = [join(data, 'views.db'), join(data, 'rebuilt.db')]
  await tell(writer, story.slice(0, 10))
  let cut = 0
  const cutAgain = (): void => {
    server.afterSending(1 + (cut % 3), () => {
      cuts[cut++ % cuts.length]?.(server)
      cutAgain()
    })
  }
  cutAgain()
  const views = await viewsOn(t, store, path)
  for (const event of story.slice(10)) await tell(writer, [event])
  t.true(await views.waitForStorePosition(await writer.head(), 20_000))
  t.is(views.position(), toPublicPosition(story.length - 1))
  await views.close()
  server.afterSending(Number.POSITIVE_INFINITY, () => undefined)
  t.true(cut >= story.length / 3, `cut ${cut} times`)
  await (await viewsOn(t, writer, rebuilt)).close()
  t.deepEqual(rowsIn(path), rowsIn(rebuilt))
  t.not(rowsIn(path).length, 0)
})
