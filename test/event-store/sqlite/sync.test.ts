import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { StoreUnavailable } from '../../../src/event-store/event-store.ts'
import { makeSync } from '../../../src/event-store/sqlite/sync.ts'
import { append, aStream, outcomeOf, readAll, someEvents } from '../new-events.ts'
import { aPath, openStore } from './subject.ts'

/** A simulated disk whose syncs end on demand; tracks which commits are durable. */
const makeDisk = () => {
  let committed = 0
  let syncing: { readonly upTo: number; readonly done: (error: Error | null) => void } | undefined
  let has = 0
  let syncs = 0
  return {
    commit: () => ++committed,
    sync: (done: (error: Error | null) => void): void => {
      if (syncing !== undefined) throw new Error('two syncs at a time')
      syncing = { upTo: committed, done }
      syncs++
    },
    end: (error: Error | null = null): void => {
      const ended = syncing
      if (ended === undefined) return
      syncing = undefined
      if (error === null) has = ended.upTo
      ended.done(error)
    },
    isSyncing: () => syncing !== undefined,
    has: () => has,
    syncs: () => syncs,
  }
}

const never = (error: Error): never => {
  throw error
}

test('a wait for a commit ends after a sync that started later, and syncs never overlap', async (t) => {
  const steps = fc.array(fc.constantFrom('commit', 'disk'), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(steps, async (story) => {
      const disk = makeDisk()
      const sync = makeSync(disk.sync, never)
      const waiting: Promise<void>[] = []
      const commit = (): void => {
        const mine = disk.commit()
        waiting.push(sync.begin().then(() => void t.true(disk.has() >= mine)))
      }
      for (const step of story) {
        if (step === 'commit') commit()
        else disk.end()
        t.is(sync.pending() === undefined, disk.has() === waiting.length)
      }
      while (disk.isSyncing()) disk.end()
      await Promise.all(waiting)
      t.is(sync.pending(), undefined)
    }),
  )
})

test('a failed sync is reported before waiting callers fail, and no sync is retried', async (t) => {
  const callbacks: string[] = []
  const disk = makeDisk()
  const sync = makeSync(disk.sync, (error) => callbacks.push(error.message))
  const refused = (what: string, promise: Promise<void> | undefined): Promise<void> =>
    (promise as Promise<void>).catch((error) => {
      t.true(error instanceof StoreUnavailable)
      callbacks.push(what)
    }) as Promise<void>
  const waiting = [refused('the first', sync.begin()), refused('the second', sync.begin())]
  disk.end(new Error('EIO'))
  await Promise.all(waiting)
  t.deepEqual(callbacks, ['the log cannot be synced: EIO', 'the first', 'the second'])
  await Promise.all([refused('later', sync.begin()), refused('a reader', sync.pending())])
  t.deepEqual(callbacks.slice(3), ['later', 'a reader'])
  t.is(disk.syncs(), 1)
})

for (const first of ['a sync', 'a commit']) {
  test.serial(`a log that can be neither synced nor written is reported once, if ${first} fails first`, async (t) => {
    const syncs: ((error: Error) => void)[] = []
    const { fdatasync } = fs
    fs.fdatasync = ((_: number, done: (error: Error) => void) => void syncs.push(done)) as typeof fdatasync
    syncBuiltinESMExports()
    t.teardown(() => {
      fs.fdatasync = fdatasync
      syncBuiltinESMExports()
    })
    const path = await aPath(t)
    const fatal: string[] = []
    const store = openStore(t, path, { isSyncDeferred: true, onFatal: ({ message }) => fatal.push(message) })
    const [stream, other] = [aStream(), aStream()]
    t.is(outcomeOf(await append(store, stream, -1, someEvents(stream, 1))), 'done')
    const shell = new DatabaseSync(path)
    shell.exec('INSERT INTO event SELECT 1, 0, recorded, leaf FROM event')
    shell.close()
    const committing = append(store, other, -1, someEvents(other, 1))
    if (first === 'a commit') await committing
    for (const fail of syncs) fail(new Error('EIO'))
    t.is(outcomeOf(await committing), 'unknown')
    t.deepEqual(fatal, [first === 'a commit' ? 'another process has written the log' : 'the log cannot be synced: EIO'])
  })
}

/** A log as left by a killed process, with its last events in the WAL. */
const aKilledLog = async (t: ExecutionContext) => {
  const left = await aPath(t)
  const stream = aStream()
  const store = openStore(t, left)
  await append(store, stream, -1, someEvents(stream, 3))
  for (const suffix of ['', '-wal']) fs.copyFileSync(left + suffix, `${left}.as-it-was${suffix}`)
  await store.close()
  for (const suffix of ['', '-wal']) fs.copyFileSync(`${left}.as-it-was${suffix}`, left + suffix)
  t.true(fs.statSync(`${left}-wal`).size > 0)
  return { left, stream }
}

test('opening the log of a killed process checkpoints its WAL', async (t) => {
  const { left, stream } = await aKilledLog(t)
  const store = openStore(t, left)
  t.is(fs.statSync(`${left}-wal`).size, 0)
  t.is((await readAll(store, stream)).length, 3)
})

test('a log of a killed process can be opened during a read; its WAL is then kept', async (t) => {
  const { left, stream } = await aKilledLog(t)
  const reader = new DatabaseSync(left, { readOnly: true })
  t.teardown(() => reader.close())
  reader.exec('BEGIN')
  t.is(reader.prepare('SELECT count(*) AS n FROM event').get()?.n, 3)
  const store = openStore(t, left, { limits: { busyTimeout: 10 } })
  t.true(fs.statSync(`${left}-wal`).size > 0)
  t.is((await readAll(store, stream)).length, 3)
  t.is(outcomeOf(await append(store, stream, 2, someEvents(stream, 1))), 'done')
})
