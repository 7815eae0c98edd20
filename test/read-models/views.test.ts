import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { toStorePosition } from '../../src/domain/values/position.ts'
import type { EventStore } from '../../src/event-store/event-store.ts'
import { SUT_ID } from '../domain/builders.ts'
import { aDirectory, openStore } from '../event-store/sqlite/subject.ts'
import { rowsIn, story, tell, viewsOn } from './setting.ts'

const aLog = async (t: ExecutionContext): Promise<{ store: EventStore; directory: string }> => {
  const directory = await aDirectory(t)
  return { store: openStore(t, join(directory, 'events.db')), directory }
}

/** Rows of views that were closed and reopened after every event. */
const restartedAtEveryEvent = async (t: ExecutionContext): Promise<readonly string[]> => {
  const { store, directory } = await aLog(t)
  const path = join(directory, 'views.db')
  for (const event of story) {
    await tell(store, [event])
    const views = await viewsOn(t, store, path)
    await views.close()
  }
  return rowsIn(path)
}

/** Rows of views built from the whole log at once. */
const builtAtOnce = async (t: ExecutionContext): Promise<readonly string[]> => {
  const { store, directory } = await aLog(t)
  await tell(store, story)
  const views = await viewsOn(t, store, join(directory, 'views.db'))
  await views.close()
  return rowsIn(join(directory, 'views.db'))
}

test('views that restart after every event have the same rows', async (t) => {
  const rows = await restartedAtEveryEvent(t)
  t.true(rows.length > 20)
  t.deepEqual(rows, await builtAtOnce(t))
})

test('the rows up to any position are those of the log up to that position', async (t) => {
  const whole = await builtAtOnce(t)
  const upTo = Math.floor(story.length / 2)
  const { store, directory } = await aLog(t)
  await tell(store, story.slice(0, upTo))
  await (await viewsOn(t, store, join(directory, 'views.db'))).close()
  const ofHalf = whole
    .map((row) => JSON.parse(row) as { position: number; until?: number | null })
    .filter(({ position }) => position < upTo)
    // A row names the version that replaces it only afterwards.
    .map((row) => JSON.stringify((row.until ?? 0) < upTo ? row : { ...row, until: null }))
  t.true(ofHalf.length > 0 && ofHalf.length < whole.length)
  t.deepEqual(rowsIn(join(directory, 'views.db')), ofHalf)
})

test('a document is read as of every revision, before and after it is written', async (t) => {
  const { store, directory } = await aLog(t)
  const views = await viewsOn(t, store, join(directory, 'views.db'))
  const seen: (string | undefined)[] = []
  for (const event of story) {
    await tell(store, [event])
    t.true(await views.waitForStorePosition(toStorePosition(event.revision), 10_000))
    seen.push(views.newest('sut', SUT_ID)?.document)
  }
  t.deepEqual(
    story.map(({ revision }) => views.asOf('sut', SUT_ID, revision)?.document),
    seen,
  )
  await views.close()
  const again = await viewsOn(t, store, join(directory, 'views.db'))
  t.deepEqual(
    story.map(({ revision }) => again.asOf('sut', SUT_ID, revision)?.document),
    seen,
  )
  t.true(new Set(seen).size > 1)
})

test('waiting for a store position ends when it is folded, or with a timeout', async (t) => {
  const { store, directory } = await aLog(t)
  const views = await viewsOn(t, store, join(directory, 'views.db'))
  t.false(await views.waitForStorePosition(toStorePosition(0), 10))
  const reached = views.waitForStorePosition(toStorePosition(0), 10_000)
  await tell(store, story.slice(0, 1))
  t.true(await reached)
})

test('a snapshot is written with its rows and is read after a restart', async (t) => {
  const { store, directory } = await aLog(t)
  const path = join(directory, 'views.db')
  await tell(store, story.slice(0, 3))
  const views = await viewsOn(t, store, path)
  const snapshot = (stream: string, revision: number) => ({
    stream,
    version: 1,
    revision,
    storePosition: toStorePosition(revision),
    text: '{}',
  })
  views.keepSnapshot('sut-a', toStorePosition(2), () => snapshot('sut-a', 2))
  // A snapshot ahead of the views is not kept: the log may still lose its events.
  views.keepSnapshot('sut-b', toStorePosition(3), () => snapshot('sut-b', 3))
  await views.close()
  const again = await viewsOn(t, store, path)
  t.deepEqual({ ...again.readSnapshot('sut-a') }, snapshot('sut-a', 2))
  t.is(again.readSnapshot('sut-b'), undefined)
})

test("only the owner can read the views file, whatever its directory's mode", async (t) => {
  const { store, directory } = await aLog(t)
  await tell(store, story)
  const path = join(directory, 'views.db')
  const views = await viewsOn(t, store, path)
  for (const file of [path, `${path}-wal`]) t.is((await stat(file)).mode & 0o777, 0o600)
  await views.close()
})
