import { join } from 'node:path'
import test from 'ava'
import { writeTables } from '../../src/archive/tables/write-tables.ts'
import { canonicalJson } from '../../src/domain/values/canonical-json.ts'
import { toStorePosition } from '../../src/domain/values/position.ts'
import type { StoredRecord } from '../../src/event-store/event-store.ts'
import { BEGINNING, made, SUT, write } from '../audit/rules/morning.ts'
import { writeStory } from '../audit/verify/lawful-log.ts'
import { type } from '../command-line/terminal.ts'
import { idOf } from '../domain/builders.ts'
import { readLog } from '../event-store/new-events.ts'
import { aDirectory, openStore } from '../event-store/sqlite/subject.ts'
import { filled } from '../read-models/fill.ts'
import { openDuckDb } from './duckdb.ts'

test('the tables of a random log have the documents that the service lists', async (t) => {
  const data = await aDirectory(t)
  const store = openStore(t, join(data, 'events.db'))
  await writeStory(store, 7, 3_000)
  const { lists } = filled(await readLog(store, -1))
  const output = join(data, 'tables')
  await type(['export', '--log', join(data, 'events.db'), '--format', 'parquet', '--output', output])
  const ask = await openDuckDb(t)
  const page = { limit: 100_000, offset: 0 }
  const documentsOf = (documents: readonly string[]) => documents.map((text) => JSON.parse(text)).toReversed()
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()

  const listed = lists.reservations({ ...page, withCancelled: true })
  const reservations = documentsOf(listed.documents).map(({ _id: id, sut_id, user_id, start_time, end_time }) => {
    const [starts, ends] = [String(Date.parse(start_time)), String(Date.parse(end_time))]
    return { id, sut_id, user_id, starts, ends }
  })
  t.true(reservations.length > 500)
  const rows = `id, sut_id, user_id, epoch_ms(start_time) AS starts, epoch_ms(end_time) AS ends`
  t.deepEqual(sorted(await ask(`SELECT ${rows} FROM '${output}/reservations.parquet'`)), sorted(reservations))

  const suts = [...lists.suts(page).documents, ...lists.suts({ ...page, retired: true }).documents]
  t.deepEqual(
    sorted(await ask(`SELECT id, name, description, is_active, port FROM '${output}/machines.parquet'`)),
    sorted(
      documentsOf(suts).map(({ _id: id, name, description, is_active, port }) => ({
        id,
        name,
        description,
        is_active,
        port,
      })),
    ),
  )
})

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
