import test from 'ava'
import { BEFORE_FIRST, toPublicPosition } from '../../src/domain/values/position.ts'
import { makeWaitUntilDurable } from '../../src/feed/durability.ts'
import { makeSource } from '../../src/feed/source.ts'
import type { Views } from '../../src/read-models/views.ts'
import { append, aStream, idsOf, someEvents } from '../event-store/new-events.ts'
import { aPath, openStore } from '../event-store/sqlite/subject.ts'

/** A log under constant writes, so that there is always a sync to wait for. */
const stage = () => {
  const syncs: PromiseWithResolvers<void>[] = []
  let position = 99
  const waitUntilDurable = makeWaitUntilDurable({
    store: {
      synced: () => {
        const sync = Promise.withResolvers<void>()
        syncs.push(sync)
        return sync.promise
      },
    },
    views: { position: () => toPublicPosition(position) },
  })
  const grow = (to: number): void => {
    position = to
  }
  return { waitUntilDurable, syncs, grow }
}

test('reading a log waits for one sync, and again only for newer events', async (t) => {
  const { waitUntilDurable, syncs, grow } = stage()
  const waiting = waitUntilDurable(toPublicPosition(10))
  grow(200)
  t.not(waitUntilDurable(toPublicPosition(20)), undefined, 'nothing is durable before the sync ends')
  syncs[0]?.resolve()
  await waiting
  t.deepEqual([waitUntilDurable(toPublicPosition(20)), waitUntilDurable(toPublicPosition(99))], [undefined, undefined])
  const later = waitUntilDurable(toPublicPosition(100))
  t.not(later, undefined)
  syncs.at(-1)?.resolve()
  await later
  t.is(waitUntilDurable(toPublicPosition(200)), undefined)
})

test('a failed sync makes nothing durable', async (t) => {
  const { waitUntilDurable, syncs } = stage()
  const waiting = waitUntilDurable(toPublicPosition(10))
  syncs[0]?.reject(new Error('EIO'))
  await t.throwsAsync(async () => waiting, { message: 'EIO' })
  t.not(waitUntilDurable(toPublicPosition(10)), undefined)
})

test('a log that is synced before reads needs no wait', (t) => {
  const views = { position: () => toPublicPosition(99) }
  t.is(makeWaitUntilDurable({ store: {}, views })(toPublicPosition(99)), undefined)
  t.is(makeWaitUntilDurable({ store: { synced: () => undefined }, views })(toPublicPosition(100)), undefined)
})

test('events read from the file are delivered only once they are durable', async (t) => {
  const store = openStore(t, await aPath(t))
  const stream = aStream()
  const events = someEvents(stream, 3)
  await append(store, stream, -1, events)
  const [asked, sync] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const synced = () => {
    asked.resolve()
    return sync.promise
  }
  const log = { storePositionAt: (position: number) => position, positionOf: (id: string) => idsOf(events).indexOf(id) }
  const views = {
    position: () => toPublicPosition(2),
    log: () => log as unknown as ReturnType<Views['log']>,
    watch: () => () => undefined,
  }
  const options = { views, origin: 'test', onFailed: (error: unknown) => t.fail(String(error)) }
  const source = makeSource({ ...options, store: { ...store, synced } })
  t.teardown(source.close)
  const order: string[] = []
  const delivered = source
    .readAfter('audrey', BEFORE_FIRST)
    .then((entries) => order.push(`delivered ${entries.length}`))
  await Promise.race([asked.promise, delivered])
  order.push('synced')
  sync.resolve()
  await delivered
  t.deepEqual(order, ['synced', 'delivered 3'])
})
