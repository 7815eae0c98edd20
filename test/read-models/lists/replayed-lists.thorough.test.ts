import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { replay } from '../../../src/read-models/replay.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { story, tell, viewsOn } from '../setting.ts'

/** Alterations of the tables that lists read, with the table that replay must name. */
const ALTERED: Readonly<Record<string, string>> = {
  'UPDATE reservation SET ends = ends + 900 WHERE position = 1': 'reservation',
  "UPDATE reservation SET user = 'x' WHERE position = 1": 'reservation',
  'UPDATE reservation SET until = NULL WHERE position = 2': 'reservation',
  'UPDATE reservation SET created = 7 WHERE position = 1': 'reservation',
  "UPDATE sut SET tags = '{}' WHERE position = 8": 'sut',
  'UPDATE log SET time = time + 1 WHERE position = 3': 'log',
}

test('replay names every altered list table, and finds no difference in unaltered ones', async (t) => {
  const directory = await aDirectory(t)
  const store = openStore(t, join(directory, 'events.db'))
  const path = join(directory, 'views.db')
  await tell(store, story)
  await (await viewsOn(t, store, path)).close()
  t.deepEqual((await replay(path, store)).differences, [])
  for (const [sql, table] of Object.entries(ALTERED)) {
    const altered = new DatabaseSync(path)
    altered.exec(sql)
    t.is(altered.prepare('SELECT total_changes() > 0 AS isAltered').get()?.isAltered, 1, sql)
    const { differences } = await replay(path, store)
    t.true(differences.length > 0 && differences.every((difference) => difference.startsWith(table)), sql)
    altered.exec("UPDATE progress SET shape = 'another'")
    altered.close()
    await (await viewsOn(t, store, path)).close()
  }
})
