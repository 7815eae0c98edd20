import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { toPublicPosition } from '../../../src/domain/values/position.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { copyLogFile, openLinks, type StreamHead } from '../../../src/event-store/sqlite/copy.ts'
import { append, aStream, idsOf, outcomeOf, readAll, readLog, someEvents } from '../new-events.ts'
import { aPath, openStore } from './subject.ts'
import { withoutTriggers } from './without-triggers.ts'

/** Number of events after which heads are written. */
const WRITTEN_AFTER = 4_096

/** The stored stream heads, and the position up to which they are current. */
const written = (path: string): { readonly heads: readonly object[]; readonly upTo: number } => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const heads = database.prepare('SELECT * FROM head ORDER BY stream').all()
    const upTo = Number(database.prepare("SELECT value FROM meta WHERE name = 'heads'").get()?.value)
    return { heads: heads.map((head) => ({ ...head })), upTo }
  } finally {
    database.close()
  }
}

const byStream = (heads: Iterable<StreamHead>): readonly StreamHead[] =>
  [...heads].map((head) => ({ ...head })).sort((a, b) => (a.stream < b.stream ? -1 : 1))

/** The stream heads computed from the events. */
const ends = async (store: EventStore): Promise<readonly StreamHead[]> => {
  const last = new Map<string, StreamHead>()
  for (const { stream, revision, storePosition } of await readLog(store, -1)) {
    last.set(stream, { stream, revision, position: toPublicPosition(storePosition) })
  }
  return byStream(last.values())
}

/** A copy of the file as a killed process would leave it. */
const asIfKilled = async (t: ExecutionContext, path: string): Promise<string> => {
  const copy = await aPath(t)
  copyLogFile(path, copy)
  return copy
}

/** Appends `events` events to each stream in turn. */
const tell = async (store: EventStore, streams: readonly string[], rounds: number, events = 1): Promise<void> => {
  for (let round = 0; round < rounds; round++) {
    for (const stream of streams) {
      const outcome = await append(store, stream, round * events - 1, someEvents(stream, events))
      if (outcomeOf(outcome) !== 'done') throw new Error(outcomeOf(outcome))
    }
  }
}

test('stream heads are recovered after a kill, although they were not yet written', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const streams = [aStream(), aStream(), aStream()]
  await tell(store, streams, 3)
  t.deepEqual(written(path), { heads: [], upTo: -1 })
  const copy = openStore(t, await asIfKilled(t, path))
  for (const stream of streams) {
    t.deepEqual(idsOf(await readAll(copy, stream)), idsOf(await readAll(store, stream)))
    t.is(outcomeOf(await append(copy, stream, 1, someEvents(stream, 1))), 'moved')
    t.is(outcomeOf(await append(copy, stream, 2, someEvents(stream, 1))), 'done')
    t.is((await readAll(copy, stream)).length, 4)
  }
})

test('thorough: a read-only store sees current stream heads, before and after they are written', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const reader = openStore(t, path, { readOnly: true })
  const links = openLinks(path)
  t.teardown(links.close)
  const streams = [aStream(), aStream()]
  const check = async (): Promise<void> => {
    for (const stream of streams) t.deepEqual(await readAll(reader, stream), await readAll(store, stream))
    t.deepEqual(byStream(links.heads()), await ends(store))
  }
  await tell(store, streams, 1, 100)
  await check()
  await append(store, streams[0] as string, 99, someEvents(streams[0] as string, WRITTEN_AFTER))
  t.is(written(path).upTo, WRITTEN_AFTER + 199)
  await check()
  await append(store, streams[1] as string, 99, someEvents(streams[1] as string, 1))
  t.is(written(path).upTo, WRITTEN_AFTER + 199)
  await check()
})

test('a read-only store still reads its streams if another event is not valid JSON', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const [stream, other] = [aStream(), aStream()]
  await tell(store, [stream, other], 1)
  const copy = await asIfKilled(t, path)
  const database = new DatabaseSync(copy)
  withoutTriggers(database, () => database.exec("UPDATE event SET recorded = 'no JSON' WHERE position = 1"))
  database.close()
  t.deepEqual(await readAll(openStore(t, copy, { readOnly: true }), stream), await readAll(store, stream))
})

test('a leaf hash of the wrong length is reported with its position and affects no other event', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  await tell(store, [aStream(), aStream(), aStream()], 1)
  const copy = await asIfKilled(t, path)
  const database = new DatabaseSync(copy)
  withoutTriggers(database, () => database.exec("UPDATE event SET leaf = x'00' WHERE position = 1"))
  database.close()
  const damaged = openStore(t, copy)
  const error = { name: 'UndecodableEvent', message: 'store position 1: /leaf: must be 32 bytes' }
  await t.throwsAsync(readLog(damaged, -1), error)
  t.is((await readLog(damaged, 1)).length, 1)
})

test('thorough: a stream whose head has left the cache is looked up, and appended to after its last event', async (t) => {
  const store = openStore(t, await aPath(t))
  const streams = Array.from({ length: 20_100 }, aStream)
  for (let n = 0; n < streams.length; n += 1_000) {
    const appends = streams.slice(n, n + 1_000).map((stream) => append(store, stream, -1, someEvents(stream, 1)))
    t.true((await Promise.all(appends)).every((outcome) => outcomeOf(outcome) === 'done'))
  }
  for (const stream of [streams[0], streams.at(-1)] as readonly string[]) {
    t.not(outcomeOf(await append(store, stream, -1, someEvents(stream, 1))), 'done')
    t.is(outcomeOf(await append(store, stream, 0, someEvents(stream, 1))), 'done')
  }
})
