import { join } from 'node:path'
import test from 'ava'
import { writeTables } from '../../src/archive/tables/write-tables.ts'
import { canonicalJson } from '../../src/domain/values/canonical-json.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import type { StoredRecord } from '../../src/event-store/event-store.ts'
import { BEGINNING, made, SUT, write } from '../audit/rules/morning.ts'
import { idOf } from '../domain/builders.ts'
import { aDirectory } from '../event-store/sqlite/subject.ts'
import { openDuckDb } from './duckdb.ts'

/** More than two groups of rows. */
const MANY = 45_000

test('a long table is written in groups of rows, none of which is lost', async (t) => {
  const [, { data }] = made('05:20', 1, '06:00', '07:00')
  const log = write([...BEGINNING, made('05:20', 1, '06:00', '07:00')])
  async function* records(): AsyncGenerator<readonly StoredRecord[]> {
    yield log.slice(0, -1).map((event, n) => ({ text: canonicalJson(event), storePosition: toStorePosition(n) }))
    for (let n = 0; n < MANY; n += 1_000)
      yield Array.from({ length: 1_000 }, (_, i) => {
        const event = { ...log.at(-1), revision: n + i + 9, data: { ...data, _id: idOf(n + i) } }
        return { text: canonicalJson(event), storePosition: toStorePosition(n + i + 9) }
      })
  }
  const output = join(await aDirectory(t), 'tables')
  const options = { origin: 'lab', to: undefined, output, names: undefined, onProgress: () => undefined }
  await writeTables(records(), options, { events: 0, first: null, last: null })
  const ask = await openDuckDb(t)
  const file = `'${output}/reservations.parquet'`
  t.deepEqual(await ask(`SELECT count(*) AS n, count(DISTINCT id) AS ids FROM ${file} WHERE sut_id = '${SUT}'`), [
    { n: String(MANY), ids: String(MANY) },
  ])
  t.deepEqual(await ask(`SELECT DISTINCT row_group_num_rows AS n FROM parquet_metadata(${file}) ORDER BY n`), [
    { n: '5000' },
    { n: '20000' },
  ])
})
