import test, { type ExecutionContext } from 'ava'
import { BEFORE_FIRST, toPublicPosition } from '../../src/domain/values/position.ts'
import { BEGINNING, StoreUnavailable } from '../../src/event-store/event-store.ts'
import { makeLogReader } from '../../src/feed/log-reader.ts'
import { beforeTheFirst } from '../../src/read-models/file/progress.ts'
import { makeProgressTracker } from '../../src/read-models/projector/progress-tracker.ts'
import type { Views } from '../../src/read-models/views.ts'
import { append, aStream, idsOf, logged, someEvents } from '../event-store/new-events.ts'
import { aPath, openStore } from '../event-store/sqlite/subject.ts'

/** A reader of a log of three events, with a disk that is always behind. */
const stage = async (t: ExecutionContext) => {
  const store = openStore(t, await aPath(t))
  const stream = aStream()
  const events = someEvents(stream, 3)
  await append(store, stream, -1, events)
  const syncs: PromiseWithResolvers<void>[] = []
  const asked = Promise.withResolvers<void>()
  const synced = () => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    asked.resolve()
    return sync.promise
  }
  const log = { storePositionAt: (position: number) => position, positionOf: (id: string) => idsOf(events).indexOf(id) }
  const tracker = makeProgressTracker(beforeTheFirst(store.logId), { synced })
  for (const event of events)
    tracker.advance(logged({ ...event, ...{ stream, revision: 0, storePosition: BEGINNING } }))
  const views = {
    position: () => toPublicPosition(2),
    log: () => log as unknown as ReturnType<Views['log']>,
    watch: () => () => undefined,
    waitUntilDurable: tracker.waitUntilDurable,
  }
  const reader = makeLogReader({ store, views, origin: 'test' })
  t.teardown(reader.close)
  return { syncs, asked: asked.promise, read: () => reader.readAfter('audrey', BEFORE_FIRST), reader }
}

test('events read from the file are delivered only once they are durable', async (t) => {
  const { read, syncs, asked } = await stage(t)
  const order: string[] = []
  const delivered = read().then((entries) => order.push(`delivered ${entries.length}`))
  await Promise.race([asked, delivered])
  order.push('synced')
  syncs[0]?.resolve()
  await delivered
  t.deepEqual(order, ['synced', 'delivered 3'])
  t.is((await read()).length, 3)
  t.is(syncs.length, 1, 'all of it is known to be durable')
})

test('a failed sync makes nothing durable', async (t) => {
  const { read, syncs, asked } = await stage(t)
  const delivered = read()
  await asked
  syncs[0]?.reject(new StoreUnavailable('EIO'))
  await t.throwsAsync(delivered, { message: 'EIO' })
  const again = read()
  while (syncs.length < 2) await new Promise(setImmediate)
  syncs[1]?.resolve()
  t.is((await again).length, 3)
})
