import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { UnusableLog } from '../../../src/event-store/event-store.ts'
import { createLog } from '../../../src/event-store/sqlite/schema.ts'
import { append, aStream, randomHex, someEvents } from '../new-events.ts'
import { aDirectory, aPath, openStore } from './subject.ts'

const edit = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

test('a new log and its accompanying files are readable only by their owner', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  await append(store, aStream(), -1, someEvents(aStream(), 1))
  const files = readdirSync(join(path, '..'))
  t.deepEqual(files.toSorted(), [
    'events.db',
    'events.db-shm',
    'events.db-wal',
    'events.db.lock',
    'events.db.lock.owner',
  ])
  if (process.platform === 'win32') return
  for (const file of files) t.is(statSync(join(path, '..', file)).mode & 0o777, 0o600, file)
})

test('a SQLite shell shows the log id and its events', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const stream = aStream()
  await append(store, stream, -1, someEvents(stream, 2))
  const database = new DatabaseSync(path, { readOnly: true })
  t.teardown(() => database.close())
  const event = { type: 'SutUpdated', time: '2030-05-02T05:58:11.400Z', actor: '590780914445534540190000' }
  const data = (note: number) => JSON.stringify({ _id: stream.slice(4), description: `note ${note}` })
  t.deepEqual(
    database
      .prepare('SELECT * FROM events')
      .all()
      .map((row) => ({ ...row })),
    [
      { position: 0, stream, revision: 0, ...event, data: data(0) },
      { position: 1, stream, revision: 1, ...event, data: data(1) },
    ],
  )
  t.is(database.prepare("SELECT value FROM meta WHERE name = 'log_id'").get()?.value, store.logId)
})

const refused = test.macro(async (t, prepare: (path: string) => void, message: RegExp) => {
  const path = await aPath(t)
  prepare(path)
  const before = readFileSync(path)
  for (const readOnly of [false, true]) {
    const error = t.throws(() => openStore(t, path, { readOnly }), { instanceOf: UnusableLog, message })
    t.true(error.message.includes(path))
  }
  t.deepEqual(readFileSync(path), before)
  t.false(existsSync(`${path}.lock.owner`), 'the lock is released')
})

const aLogWith = (sql: string) => (path: string) => {
  const database = new DatabaseSync(path)
  createLog(database, randomHex)
  database.exec(sql)
  database.close()
}

test('a log of a newer version is refused', refused, aLogWith('PRAGMA user_version = 99'), /newer version of Berth/)
test('a log of before 1.0 is refused', refused, aLogWith('PRAGMA user_version = 1'), /a version before 1.0/)
test('the id of another application is refused', refused, aLogWith('PRAGMA application_id = 1'), /another application/)
test('a database without an id is refused', refused, (path: string) => edit(path, 'CREATE TABLE a (b)'), /another appl/)
test(
  'a file that is not a database is refused',
  refused,
  (path: string) => writeFileSync(path, 'dear diary'),
  /database/,
)

test('a log in a missing directory is refused, and the directory is not created', async (t) => {
  const path = join(await aDirectory(t), 'missing', 'events.db')
  t.throws(() => openStore(t, path), { instanceOf: UnusableLog, message: /there is no directory .*missing/ })
  t.false(existsSync(join(path, '..')))
})

test('a missing log whose WAL still exists is not recreated', async (t) => {
  const path = await aPath(t)
  writeFileSync(`${path}-wal`, 'events')
  t.throws(() => openStore(t, path), { instanceOf: UnusableLog, message: /is missing, but .*-wal exists/ })
  t.is(readFileSync(`${path}-wal`, 'utf8'), 'events')
})
