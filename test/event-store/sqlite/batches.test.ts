import { readFileSync } from 'node:fs'
import test from 'ava'
import type { Logged } from '../../../src/domain/event.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { makeTail } from '../../../src/event-store/sqlite/tail.ts'
import { anEvent, append, aStream, outcomeOf, someEvents } from '../new-events.ts'
import { aPath, openStore } from './subject.ts'

const FRAME = 24 + 4096

/** The number of commits in the WAL. A commit frame has the database size in its second word. */
const commitsIn = (path: string): number => {
  const log = readFileSync(`${path}-wal`)
  let commits = 0
  for (let frame = 32; frame + FRAME <= log.length; frame += FRAME) if (log.readUInt32BE(frame + 4) !== 0) commits++
  return commits
}

const appendToNew = async (store: EventStore): Promise<string> => {
  const stream = aStream()
  return outcomeOf(await append(store, stream, -1, someEvents(stream, 1)))
}

test('concurrent appends share one transaction; separate appends have one each', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const before = commitsIn(path)
  const outcomes = await Promise.all(Array.from({ length: 64 }, () => appendToNew(store)))
  t.deepEqual(outcomes, Array(64).fill('done'))
  t.is(commitsIn(path), before + 1)
  for (let count = 0; count < 5; count++) t.is(await appendToNew(store), 'done')
  t.is(commitsIn(path), before + 6)
})

test('a store that is closed while it appends hundreds of events has recorded them', async (t) => {
  for (const turns of [0, 1, 2]) {
    const store = openStore(t, await aPath(t))
    const stream = aStream()
    const outcome = append(store, stream, -1, someEvents(stream, 367))
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    await store.close()
    t.is(outcomeOf(await outcome), 'done')
  }
})

test('appends beyond the batch limit go into the next batch', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path, { limits: { batchMax: 10 } })
  const before = commitsIn(path)
  const outcomes = await Promise.all(Array.from({ length: 25 }, () => appendToNew(store)))
  t.deepEqual(outcomes, Array(25).fill('done'))
  t.is(commitsIn(path), before + 3)
})

test('a batch commits even while appends keep arriving', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const before = commitsIn(path)
  // Two at once, so that the first turn already expects more.
  const outcomes = [appendToNew(store)]
  for (let turn = 0; turn < 11; turn++) {
    outcomes.push(appendToNew(store))
    await new Promise(setImmediate)
  }
  const commitsMeanwhile = commitsIn(path) - before
  t.deepEqual(await Promise.all(outcomes), Array(12).fill('done'))
  t.true(commitsMeanwhile >= 2)
})

test('appends beyond the queue limit fail at once as unavailable', async (t) => {
  const store = openStore(t, await aPath(t), { limits: { queueMax: 2 } })
  const outcomes = await Promise.all(Array.from({ length: 4 }, () => appendToNew(store)))
  t.deepEqual(outcomes, ['done', 'done', 'unavailable', 'unavailable'])
})

test('the tail buffer keeps a limited number of events for subscribers', (t) => {
  const tail = makeTail(4, undefined)
  for (let n = 0; n < 100; n++) {
    tail.publish([
      { ...anEvent(aStream(), ''), stream: 'any', revision: n, storePosition: toStorePosition(n) } as Logged,
    ])
    const oldest = Math.max(0, n - 8)
    t.is(tail.after(toStorePosition(oldest - 2), 100), undefined)
    t.true((tail.after(toStorePosition(n - 1), 100) ?? []).length === 1)
    t.deepEqual(tail.after(toStorePosition(n), 100), [])
  }
  t.deepEqual(
    tail.after(toStorePosition(96), 2)?.map(({ storePosition }) => storePosition),
    [97, 98],
  )
})
