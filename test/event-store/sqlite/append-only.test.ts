import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { append, aStream, someEvents } from '../new-events.ts'
import { aDirectory, openStore } from './subject.ts'

const aLogOfThree = async (t: ExecutionContext): Promise<DatabaseSync> => {
  const path = join(await aDirectory(t), 'events.db')
  const store = openStore(t, path)
  const stream = aStream()
  await append(store, stream, -1, someEvents(stream, 3))
  await store.close()
  const database = new DatabaseSync(path)
  t.teardown(() => database.close())
  return database
}

const contentOf = (database: DatabaseSync): string =>
  JSON.stringify([database.prepare('SELECT * FROM event').all(), database.prepare('SELECT * FROM head').all()])

const refused = test.macro(async (t, sql: string) => {
  const database = await aLogOfThree(t)
  const before = contentOf(database)
  t.throws(() => database.exec(sql), { message: /never|only ever|one head/ })
  t.is(contentOf(database), before)
  // Without the triggers nothing else would have refused it.
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()) {
    database.exec(`DROP TRIGGER ${name}`)
  }
  database.exec(sql)
  t.not(contentOf(database), before)
})

const changed = "recorded = replace(recorded, 'note 1', 'note 9')"
const copy = 'SELECT previous, recorded, leaf FROM event WHERE position = 1'

test('an event is not changed', refused, `UPDATE event SET ${changed} WHERE position = 1`)
test('an event is not moved', refused, 'UPDATE event SET position = 7 WHERE position = 2')
test('an event is not deleted', refused, 'DELETE FROM event WHERE position = 2')
test('the log is not emptied', refused, 'DELETE FROM event')
test('an event is not replaced', refused, `INSERT OR REPLACE INTO event SELECT 1, previous, '{}', leaf FROM (${copy})`)
test('an event is not added with a gap', refused, `INSERT INTO event SELECT 4, * FROM (${copy})`)
test('an event is not added before the first', refused, `INSERT INTO event SELECT -1, * FROM (${copy})`)
test('an event is not added without a place', refused, `INSERT INTO event SELECT NULL, * FROM (${copy})`)
test('a head is not deleted', refused, 'DELETE FROM head')
test('a head is not replaced', refused, 'INSERT OR REPLACE INTO head SELECT stream, 0, 0 FROM head')
