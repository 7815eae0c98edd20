import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { append, aStream, readAll, someEvents } from '../new-events.ts'
import { aPath, openStore } from './subject.ts'

/** A closed log whose file has been changed. */
const changedBy = async (t: ExecutionContext, sql: string) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const stream = aStream()
  await append(store, stream, -1, someEvents(stream, 1))
  await store.close()
  const database = new DatabaseSync(path)
  t.teardown(() => database.close())
  database.exec(sql)
  return { path, stream, database }
}

const countOf = (database: DatabaseSync, name: string): unknown =>
  database.prepare('SELECT count(*) AS found FROM sqlite_schema WHERE name = ?').get(name)?.found

for (const [kind, name] of [
  ['trigger', 'event_follows_the_last'],
  ['trigger', 'event_is_not_changed'],
  ['trigger', 'event_is_not_deleted'],
  ['trigger', 'head_is_not_replaced'],
  ['trigger', 'head_is_not_deleted'],
  ['view', 'events'],
] as const) {
  test(`a log without its ${kind} ${name} is refused, and it is not made again silently`, async (t) => {
    const { path, database } = await changedBy(t, `DROP ${kind} ${name}`)
    t.throws(() => openStore(t, path), {
      name: 'UnusableLog',
      message: new RegExp(`changed by another program: the ${kind} ${name} is missing or has been changed; restore`),
    })
    t.is(countOf(database, name), 0)
  })
}

test('a log with a trigger that does something else is refused', async (t) => {
  const other = 'CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event BEGIN SELECT 1; END'
  const { path } = await changedBy(t, `DROP TRIGGER event_is_not_deleted; ${other}`)
  t.throws(() => openStore(t, path), { name: 'UnusableLog', message: /event_is_not_deleted is missing or has been/ })
})

test('a log with an added trigger is refused, but people may add views and indexes', async (t) => {
  const added = await changedBy(t, 'CREATE TRIGGER more AFTER INSERT ON event BEGIN DELETE FROM vault; END')
  t.throws(() => openStore(t, added.path), { name: 'UnusableLog', message: /a trigger has been added/ })
  const own = 'CREATE VIEW mine AS SELECT position FROM event; CREATE INDEX owners ON vault (key_id)'
  const { path, stream } = await changedBy(t, own)
  t.is((await readAll(openStore(t, path), stream)).length, 1)
})
