import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { append, aStream, someEvents } from '../new-events.ts'
import { aDirectory, openStore } from './subject.ts'
import { withoutTriggers } from './without-triggers.ts'

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

const changed = "recorded = replace(recorded, 'note 1', 'note 9')"
const copy = 'SELECT previous, recorded, leaf FROM event WHERE position = 1'

const CHANGES: Readonly<Record<string, string>> = {
  'an event cannot be changed': `UPDATE event SET ${changed} WHERE position = 1`,
  'an event cannot be moved': 'UPDATE event SET position = 7 WHERE position = 2',
  'an event cannot be deleted': 'DELETE FROM event WHERE position = 2',
  'the log cannot be emptied': 'DELETE FROM event',
  'an event cannot be replaced': `INSERT OR REPLACE INTO event SELECT 1, previous, '{}', leaf FROM (${copy})`,
  'an event cannot be added after a gap': `INSERT INTO event SELECT 4, * FROM (${copy})`,
  'an event cannot be added before the first': `INSERT INTO event SELECT -1, * FROM (${copy})`,
  'an event cannot be added without a position': `INSERT INTO event SELECT NULL, * FROM (${copy})`,
  'a head cannot be deleted': 'DELETE FROM head',
  'a head cannot be replaced': 'INSERT OR REPLACE INTO head SELECT stream, 0, 0 FROM head',
}

for (const [what, sql] of Object.entries(CHANGES)) {
  test(what, async (t) => {
    const database = await aLogOfThree(t)
    const before = contentOf(database)
    t.throws(() => database.exec(sql), { message: /never|only ever|one head/ })
    t.is(contentOf(database), before)
    // Control: without the triggers, the statement succeeds.
    withoutTriggers(database, () => database.exec(sql))
    t.not(contentOf(database), before)
  })
}
