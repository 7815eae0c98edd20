import test from 'ava'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { durableReader } from '../../../src/event-store/sqlite/durable-read.ts'
import type { Reader } from '../../../src/event-store/sqlite/read.ts'
import { syncWal } from '../../../src/event-store/sqlite/sync.ts'
import { aPath } from './subject.ts'

/** A durable reader with pages of one event, and the order of its reads, syncs and deliveries. */
const aDurableReader = () => {
  const order: string[] = []
  let end = 1
  const page = async function* (what: string) {
    for (let storePosition = 0; storePosition <= end; storePosition++) {
      order.push(`read ${what} ${storePosition}`)
      yield what === 'subscription' ? { events: [{ storePosition }] } : [{ storePosition }]
    }
  }
  const reader = {
    at: async () => void order.push('read at'),
    recordAt: async () => void order.push('read record'),
    head: async () => order.push('read head'),
    readSecrets: async () => void order.push('read secrets'),
    secretsSealedWith: async () => void order.push('read sealed'),
    readStream: () => page('stream'),
    records: () => page('records'),
    subscribe: () => page('subscription'),
  } as unknown as Reader
  const reads = durableReader(
    reader,
    () => toStorePosition(end),
    () => order.push('synced'),
  )
  const grow = (): void => {
    end++
  }
  return { reads, order, grow }
}

const deliver = async (pages: AsyncIterable<unknown>, order: string[]): Promise<void> => {
  for await (const _ of pages) order.push('delivered')
}

test('a concurrent reader syncs the WAL before it returns events', async (t) => {
  const { signal } = new AbortController()
  const ways: Readonly<Record<string, (reads: Reader) => AsyncIterable<unknown>>> = {
    stream: (reads) => reads.readStream('s', 0),
    records: (reads) => reads.records(toStorePosition(0)),
    subscription: (reads) => reads.subscribe(toStorePosition(0), signal),
  }
  for (const [what, way] of Object.entries(ways)) {
    const { reads, order } = aDurableReader()
    await deliver(way(reads), order)
    t.deepEqual(
      order,
      [`read ${what} 0`, 'synced', 'delivered', `read ${what} 1`, 'delivered'],
      'one sync covers both events',
    )
  }
  const { reads, order } = aDurableReader()
  await reads.at(toStorePosition(0))
  await reads.recordAt(toStorePosition(2))
  await reads.head()
  await reads.readSecrets('s')
  await reads.secretsSealedWith('k', undefined, 1)
  t.deepEqual(
    order,
    ['at', 'record', 'head', 'secrets', 'sealed'].flatMap((one) => [`read ${one}`, 'synced']),
  )
})

test('events written after the last sync are synced before a reader returns them', async (t) => {
  const { reads, order, grow } = aDurableReader()
  await deliver(reads.records(toStorePosition(0)), [])
  grow()
  order.length = 0
  await deliver(reads.records(toStorePosition(0)), order)
  t.deepEqual(order, [
    'read records 0',
    'delivered',
    'read records 1',
    'delivered',
    'read records 2',
    'synced',
    'delivered',
  ])
  await reads.at(toStorePosition(2))
  t.is(order.at(-1), 'read at')
})

test('syncing a log without a WAL does nothing', async (t) => {
  const path = await aPath(t)
  t.notThrows(() => syncWal(path))
})
