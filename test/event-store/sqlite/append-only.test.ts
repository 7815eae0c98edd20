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
  // Control: without the triggers, the statement succeeds.
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()) {
    database.exec(`DROP TRIGGER ${name}`)
  }
  database.exec(sql)
  t.not(contentOf(database), before)
})

const changed = "recorded = replace(recorded, 'note 1', 'note 9')"
const copy = 'SELECT previous, recorded, leaf FROM event WHERE position = 1'

test('an event cannot be changed', refused, `UPDATE event SET ${changed} WHERE position = 1`)
test('an event cannot be moved', refused, 'UPDATE event SET position = 7 WHERE position = 2')
test('an event cannot be deleted', refused, 'DELETE FROM event WHERE position = 2')
test('the log cannot be emptied', refused, 'DELETE FROM event')
test(
  'an event cannot be replaced',
  refused,
  `INSERT OR REPLACE INTO event SELECT 1, previous, '{}', leaf FROM (${copy})`,
)
test('an event cannot be added after a gap', refused, `INSERT INTO event SELECT 4, * FROM (${copy})`)
test('an event cannot be added before the first', refused, `INSERT INTO event SELECT -1, * FROM (${copy})`)
test('an event cannot be added without a position', refused, `INSERT INTO event SELECT NULL, * FROM (${copy})`)
test('a head cannot be deleted', refused, 'DELETE FROM head')
test('a head cannot be replaced', refused, 'INSERT OR REPLACE INTO head SELECT stream, 0, 0 FROM head')
