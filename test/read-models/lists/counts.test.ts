import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { makeRunQuery } from '../../../src/files/sqlite.ts'
import { condition, makeReads } from '../../../src/read-models/lists/page.ts'
import { temporaryData } from '../../http/harness.ts'

const ABOVE = (n: number) => condition('SELECT n FROM number WHERE n > ?', n)

test('rows are counted again after each change, of this connection and of another, and not without one', async (t) => {
  const path = join(await temporaryData(t), 'numbers.db')
  const [writer, reader] = [new DatabaseSync(path), new DatabaseSync(path)]
  t.teardown(() => {
    writer.close()
    reader.close()
  })
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE number (n INTEGER); INSERT INTO number VALUES (1), (2), (3)')
  let asked = 0
  for (const db of [writer, reader]) {
    const run = makeRunQuery(db)
    const { count } = makeReads(db, (sql, ...values) => {
      asked++
      return run(sql, ...values)
    })
    asked = 0
    t.deepEqual([count(ABOVE(1)), count(ABOVE(1)), count(ABOVE(2))], [2, 2, 1])
    t.is(asked, 2)
    writer.exec('INSERT INTO number VALUES (4)')
    t.is(count(ABOVE(1)), 3)
    writer.exec('DELETE FROM number WHERE n = 4')
    t.is(count(ABOVE(1)), 2)
    t.is(asked, 4)
  }
})
