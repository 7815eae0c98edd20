import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { projections } from '../../../projections/index.ts'
import type { Event, Logged } from '../../../src/domain/event.ts'
import { makeEventId } from '../../../src/domain/values/ids.ts'
import { toPublicPosition, toStorePosition } from '../../../src/domain/values/position.ts'
import { beforeTheFirst, progressAfter } from '../../../src/read-models/file/progress.ts'
import { openViewsFile, type ViewsFile } from '../../../src/read-models/file/views-file.ts'
import { makeCatchUp } from '../../../src/read-models/projector/catch-up.ts'
import { makePending } from '../../../src/read-models/projector/pending.ts'
import { makeWriter } from '../../../src/read-models/projector/write-behind.ts'
import { openViews } from '../../../src/read-models/views.ts'
import { metadata, reservationCancelled, reservationExtended } from '../../domain/builders.ts'
import { append, done, logged, randomHex } from '../../event-store/new-events.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { manyEvents } from '../lists/many-reservations.ts'
import { viewsOn } from '../setting.ts'

const STREAM = 'sut-of-all'
const SCALE = { reservations: 12_000, suts: 40, users: 10 }
const BATCH = 256
/** Events after which a writer thread is used. */
const writerThreadFrom = 10_000
const LOG_ID = 'f'.repeat(24)

/** A long log in which some reservations are extended at once, and some cancelled later. */
const story = (): readonly Logged[] => {
  const events: Event[] = []
  const made: string[] = []
  for (const event of manyEvents(SCALE)) {
    events.push(event)
    if (event.type !== 'ReservationCreated') continue
    made.push(event.data._id)
    if (made.length % 7 === 0) events.push(reservationExtended(event.data._id, '2031-01-01T00:00:00+00:00'))
    if (made.length % 11 === 0) events.push(reservationCancelled(made[made.length - 10] as string))
  }
  const facts = metadata('2030-01-01T00:00:00.000Z')
  return events.map(({ type, data }, n) =>
    logged({
      ...({ type, data } as Event),
      id: makeEventId(n, randomHex(10)),
      stream: STREAM,
      revision: n,
      storePosition: toStorePosition(n),
      metadata: facts,
    }),
  )
}

const EVENTS = story()

/** The error of another reader of the views file, if any. */
const refusalOf = (path: string): string | undefined => {
  try {
    openViewsFile(path, projections, { readOnly: true }).close()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Every row of every table. */
const contents = (file: ViewsFile): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(file.tables.map(({ name, rows }) => [name, [...rows()].map((row) => JSON.stringify(row))]))

/** Views on a file. `feed` folds the log in batches, as a store delivers them. */
const views = (t: ExecutionContext, path: string) => {
  const file = openViewsFile(path, projections)
  t.teardown(file.close)
  const pending = makePending(projections, file)
  const alarms: string[] = []
  let progress = beforeTheFirst(LOG_ID)
  const events = { onAlarm: (what: string) => alarms.push(what), onRecovery: () => undefined }
  const writer = makeWriter(file, pending, events, () => progress)
  const catchUp = makeCatchUp({ path, projections, file, pending, writer, progress: () => progress, writerThreadFrom })
  const feed = async (onBatch: () => unknown = () => undefined, knowsRest = false): Promise<void> => {
    for (let n = 0; n < EVENTS.length; n += BATCH) {
      const events = EVENTS.slice(n, n + BATCH)
      for (const event of events) {
        progress = progressAfter(progress, event)
        pending.fold(event, progress.position)
      }
      const left = EVENTS.length - n - events.length
      await catchUp.take({ events, caughtUp: left === 0, ...(knowsRest && { ahead: left }) })
      onBatch()
      if (!catchUp.hasWriterThread()) writer.tick()
    }
  }
  return { file, pending, writer, catchUp, alarms, feed }
}

/** The same rows, written by this thread. */
const WRITTEN = (() => {
  const file = openViewsFile(':memory:', projections)
  const pending = makePending(projections, file)
  let progress = beforeTheFirst(LOG_ID)
  for (const event of EVENTS) {
    progress = progressAfter(progress, event)
    pending.fold(event, progress.position)
  }
  file.stage(pending.takeUnstaged())
  file.commit([], progress)
  const written = contents(file)
  file.close()
  return written
})()

/** Bytes of a WAL with one page of 16 KiB and both headers. */
const ONE_PAGE = 32 + 24 + 16_384

test('thorough: a writer thread writes the same rows of a long log, and leaves a short WAL', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const { file, pending, catchUp, feed } = views(t, path)
  let usedThread = false
  await feed(() => {
    usedThread ||= catchUp.hasWriterThread()
  })
  t.true(usedThread)
  // A restarted WAL has one page.
  t.true(statSync(`${path}-wal`).size <= ONE_PAGE)
  t.false(catchUp.hasWriterThread())
  t.is(pending.count(), 0)
  t.is(file.progress()?.position, toPublicPosition(EVENTS.length - 1))
  t.deepEqual(contents(file), WRITTEN)
})

test('thorough: the writer thread starts at once for a log known to be long', async (t) => {
  const { file, catchUp, feed } = views(t, join(await aDirectory(t), 'views.db'))
  const usedThread: boolean[] = []
  await feed(() => usedThread.push(catchUp.hasWriterThread()), true)
  t.true(usedThread[0])
  t.false(catchUp.hasWriterThread())
  t.deepEqual(contents(file), WRITTEN)
})

test('thorough: the views file cannot be read while a writer thread rebuilds it, but afterwards it can', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const { catchUp, feed } = views(t, path)
  const refusals: (string | undefined)[] = []
  await feed(() => {
    if (catchUp.hasWriterThread()) refusals.push(refusalOf(path))
  }, true)
  t.is(
    refusals.at(-1),
    `${path} is being rebuilt, or its rebuild was interrupted; start the service and wait until it is ready`,
  )
  t.is(refusalOf(path), undefined)
})

test('thorough: when the writer thread fails, the main thread writes the rest and repeats nothing', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const { file, writer, catchUp, alarms, feed } = views(t, path)
  const other = new DatabaseSync(path)
  t.teardown(() => other.close())
  let isLocked = false
  await feed(() => {
    if (isLocked || !catchUp.hasWriterThread()) return
    other.exec('BEGIN IMMEDIATE')
    isLocked = true
  })
  t.true(isLocked)
  t.false(catchUp.hasWriterThread())
  t.true((file.progress()?.position ?? -1) < EVENTS.length - 1)
  t.false(writer.commitAll())
  t.is(alarms.length, 1)
  other.exec('ROLLBACK')
  t.true(writer.commitAll())
  t.deepEqual(contents(file), WRITTEN)
})

test('thorough: when the writer thread fails midway, the main thread finishes its file after the last reader', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const { file, writer, catchUp, feed } = views(t, path)
  const other = new DatabaseSync(path)
  t.teardown(() => other.close())
  const failsAt = 9_000
  other.exec(
    `CREATE TRIGGER full BEFORE INSERT ON log WHEN NEW.position = ${failsAt} BEGIN SELECT RAISE(ABORT, 'full'); END`,
  )
  const reader = openViewsFile(path, projections, { readOnly: true })
  const refusals: (string | undefined)[] = []
  let isPinned = false
  await feed(() => {
    refusals.push(refusalOf(path))
    if (refusals.at(-1) === undefined) return
    if (!isPinned) reader.pin()
    isPinned = true
    reader.progress()
    if (!catchUp.hasWriterThread()) reader.close()
  }, true)
  t.true(refusals.some((refusal) => refusal !== undefined))
  t.is(refusalOf(path), undefined)
  t.false(catchUp.hasWriterThread())
  const written = file.progress()?.position ?? -1
  t.true(written > BATCH && written < failsAt)
  t.false(writer.commitAll())
  other.exec('DROP TRIGGER full')
  t.true(writer.commitAll())
  t.deepEqual(contents(file), WRITTEN)
})

test('thorough: a bulk load that a reader blocked is finished at the end with all pending rows', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const { file, writer, catchUp, feed } = views(t, path)
  const reader = openViewsFile(path, projections, { readOnly: true })
  let isPinned = false
  await feed(() => {
    if (isPinned || refusalOf(path) === undefined) return
    reader.pin()
    reader.progress()
    isPinned = true
  }, true)
  t.true(isPinned)
  t.false(catchUp.hasWriterThread())
  t.regex(refusalOf(path) ?? '', /was interrupted/)
  reader.close()
  file.stage([])
  t.true(file.isStaging())
  writer.keepSnapshot(STREAM, toStorePosition(0), () => ({
    stream: STREAM,
    version: 1,
    revision: 0,
    storePosition: toStorePosition(0),
    text: '{}',
    pages: [],
  }))
  await catchUp.end()
  t.false(file.isStaging())
  t.is(refusalOf(path), undefined)
  t.deepEqual(contents(file), WRITTEN)
})

test('a bulk load cannot finish while a reader pins unsynced pages, but one that only appends can', async (t) => {
  const path = join(await aDirectory(t), 'views.db')
  const file = openViewsFile(path, projections)
  t.teardown(file.close)
  file.commit([], beforeTheFirst(LOG_ID))
  file.beginBulkLoad(false)
  t.is(refusalOf(path), undefined)
  const reader = openViewsFile(path, projections, { readOnly: true })
  file.beginBulkLoad(true)
  reader.pin()
  t.not(reader.progress(), undefined)
  file.commit([], { ...beforeTheFirst(LOG_ID), position: toPublicPosition(7) })
  t.throws(file.finishBulkLoad)
  t.regex(refusalOf(path) ?? '', /was interrupted/)
  reader.close()
  file.finishBulkLoad()
  t.is(refusalOf(path), undefined)
})

test('thorough: views closed during a bulk load keep everything folded, and the next open continues from there', async (t) => {
  const directory = await aDirectory(t)
  const path = join(directory, 'views.db')
  const store = openStore(t, join(directory, 'events.db'))
  for (let n = 0; n < EVENTS.length; n += 1_000) {
    done(await append(store, STREAM, n - 1, EVENTS.slice(n, n + 1_000)))
  }
  const none = (): void => undefined
  const early = await openViews({
    path,
    store,
    projections,
    writerThreadFrom,
    onAlarm: none,
    onRecovery: none,
    onFatal: none,
  })
  while (early.position() < EVENTS.length - 2_000) await turn()
  t.is(early.lists(), undefined)
  t.is(early.log(), undefined)
  await early.close()
  const closed = openViewsFile(path, projections)
  t.is(closed.progress()?.position, early.position())
  t.true(early.position() < EVENTS.length - 1)
  closed.close()
  await (await viewsOn(t, store, path)).close()
  const file = openViewsFile(path, projections)
  t.teardown(file.close)
  t.deepEqual(contents(file), WRITTEN)
})
