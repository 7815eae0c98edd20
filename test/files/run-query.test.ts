import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { makeRunQuery } from '../../src/files/sqlite.ts'

test('more lists than there are prepared statements kept are answered, the first one again', (t) => {
  const db = new DatabaseSync(':memory:')
  t.teardown(() => db.close())
  const prepared: string[] = []
  const ask = makeRunQuery({
    prepare: (sql: string) => {
      prepared.push(sql)
      return db.prepare(sql)
    },
  } as DatabaseSync)
  for (let n = 0; n <= 200; n++) t.like(ask(`SELECT ${n} AS n, ? AS given`, 'x'), [{ n, given: 'x' }])
  t.like(ask('SELECT 200 AS n, ? AS given', 'y'), [{ n: 200, given: 'y' }])
  t.is(prepared.length, 201)
  t.like(ask('SELECT 0 AS n, ? AS given', 'z'), [{ n: 0, given: 'z' }])
  t.is(prepared.length, 202)
})
