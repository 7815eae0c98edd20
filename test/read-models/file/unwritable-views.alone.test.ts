import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import test, { type ExecutionContext } from 'ava'
import type { Runtime } from '../../../src/app/service.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { openSqliteStore } from '../../../src/event-store/sqlite/store.ts'
import { SUT_ID, sutCreated, sutUpdated } from '../../domain/builders.ts'
import { at, recordedAt } from '../../domain/given-when-then.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { type Running, start, temporaryData } from '../../http/harness.ts'
import { aSut } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { rowsIn, shellOn, story, tell, viewsOn } from '../setting.ts'

/** Makes every write of a row fail, without touching existing rows. */
const FORBID = `CREATE TRIGGER forbidden BEFORE INSERT ON sut BEGIN SELECT RAISE(ABORT, 'the disk does not take it'); END`
const ALLOW = 'DROP TRIGGER forbidden'

/** Views of a store, and a shell on their file. */
const opened = async (t: ExecutionContext) => {
  const directory = await aDirectory(t)
  const store = openStore(t, join(directory, 'events.db'))
  const path = join(directory, 'views.db')
  return { store, path, views: await viewsOn(t, store, path), shell: shellOn(t, path) }
}

test('views that cannot be written stay readable, raise one alarm and are written later', async (t) => {
  const { store, path, views, shell } = await opened(t)
  shell.exec(FORBID)
  const alarm = views.nextReport()
  await tell(store, story.slice(0, 5))
  t.is(await alarm, 'views cannot be written')
  await tell(store, story.slice(5))
  t.true(await views.waitForStorePosition(toStorePosition(story.length - 1), 10_000))
  t.is((JSON.parse(views.newest('sut', SUT_ID)?.document ?? '{}') as { _id: string })._id, SUT_ID)
  t.deepEqual(rowsIn(path), [])
  const recovery = views.nextReport()
  shell.exec(ALLOW)
  t.is(await recovery, 'views can be written again')
  t.deepEqual([views.alarms.length, views.recoveries.length, views.fatal.length], [1, 1, 0])
  t.true(rowsIn(path).length > story.length)
})

test('a lock held on the views file does not block the service', async (t) => {
  const { store, views, shell } = await opened(t)
  shell.exec('BEGIN IMMEDIATE')
  const delay = monitorEventLoopDelay()
  delay.enable()
  const alarm = views.nextReport()
  await tell(store, story)
  t.is(await alarm, 'views cannot be written')
  t.true(await views.waitForStorePosition(toStorePosition(story.length - 1), 10_000))
  delay.disable()
  // Nanoseconds for which the event loop was blocked.
  t.true(delay.max < 2e9, `${delay.max}`)
  const recovery = views.nextReport()
  shell.exec('ROLLBACK')
  t.is(await recovery, 'views can be written again')
})

/** More rows than are kept in memory, which stops folding. */
const MORE_THAN_FIT = 16_500

const LOCKED = 5

/** Whether SQLite did something; false if the file is locked. */
const isDone = (act: () => void): boolean => {
  try {
    act()
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== LOCKED) throw error
    return false
  }
}

/** A service whose views cannot be written and accept no more events. */
const stuck = async (t: ExecutionContext): Promise<{ service: Running; allow: () => void }> => {
  const data = await temporaryData(t)
  let store: EventStore | undefined
  const openStore: Runtime['openStore'] = (randomHex, onFatal) => {
    store = openSqliteStore({ path: join(data, 'events.db'), randomHex, onFatal })
    return store
  }
  const service = await start(t, { data, openStore })
  const shell = shellOn(t, join(data, 'views.db'))
  // The service may be writing what its start recorded.
  await until('the views are not locked', async () => isDone(() => shell.exec(FORBID)), 5_000)
  await tell(store as EventStore, [recordedAt(0, at('05:00', sutCreated()))])
  const updates = Array.from({ length: MORE_THAN_FIT }, (_, n) =>
    recordedAt(n + 1, at('05:01', sutUpdated({ port: n + 1 }))),
  )
  await tell(store as EventStore, updates)
  return { service, allow: () => shell.exec(ALLOW) }
}

const alarmsOf = ({ log }: Running): number =>
  log.filter(({ sentence }) => sentence === 'views cannot be written').length

test('when the views are full, writes and retries are still answered from the log', async (t) => {
  const { service, allow } = await stuck(t)
  const admin = service.as('admin')
  const key = { 'Idempotency-Key': 'once' }
  const made = await admin.post('/api/sut/create', aSut(), key)
  t.is(made.status, 201)
  t.is(made.json.name, 'bench 4')
  const { status, text } = await admin.post('/api/sut/create', aSut(), key)
  t.deepEqual({ status, text }, { status: made.status, text: made.text })
  // A read never shows less than the write's response: it waits, then answers 503.
  const path = `/api/sut/${made.json._id}`
  const behind = await admin.get(path)
  t.like(behind, { status: 503, json: { code: 'unavailable' } })
  t.truthy(behind.headers['retry-after'])
  t.is(alarmsOf(service), 1)

  allow()
  await until('the views can be written again', async () => (await admin.get(path)).status === 200, 60_000)
  t.is((await admin.get(path)).text, made.text)
  t.is(alarmsOf(service), 1)
})

test('views deleted under a running service stay readable and are rebuilt at the next start', async (t) => {
  const service = await start(t)
  const admin = service.as('admin')
  const first = await admin.post('/api/sut/create', aSut())
  for (const suffix of ['', '-wal', '-shm']) await rm(join(service.data, `views.db${suffix}`))
  const second = await admin.post('/api/sut/create', aSut({ name: 'another' }))
  const read = async (of: Running): Promise<readonly string[]> => {
    const answers = [first, second].map(({ json }) => of.as('admin').get(`/api/sut/${json._id}`))
    return (await Promise.all(answers)).map(({ text }) => text)
  }
  t.deepEqual(await read(service), [first.text, second.text])
  await service.stop()
  t.deepEqual(await read(await start(t, { data: service.data })), [first.text, second.text])
})
