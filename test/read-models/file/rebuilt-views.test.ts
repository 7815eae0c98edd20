import { existsSync } from 'node:fs'
import { open, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { projections } from '../../../projections/index.ts'
import type { Projection } from '../../../projections/projection.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { UNFINISHED } from '../../../src/read-models/file/bulk-load.ts'
import { idOf, reservationCreated } from '../../domain/builders.ts'
import { at, recordedAt } from '../../domain/given-when-then.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { rowsIn, story, tell, viewsOn } from '../setting.ts'

interface Setting {
  readonly store: EventStore
  readonly path: string
  /** The rows as the log gives them. */
  readonly rows: readonly string[]
}

/** Views that have come to the end of the log, closed. */
const closedViews = async (t: ExecutionContext): Promise<Setting> => {
  const directory = await aDirectory(t)
  const store = openStore(t, join(directory, 'events.db'))
  const path = join(directory, 'views.db')
  await tell(store, story)
  await (await viewsOn(t, store, path)).close()
  return { store, path, rows: rowsIn(path) }
}

const execute = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

/** Alters a document, so that it shows whether the rows have been made again. */
const alter = (path: string): void => execute(path, `UPDATE sut SET document = '{"altered":true}' WHERE position = 0`)

const reopened = async (
  t: ExecutionContext,
  { store, path }: Setting,
  of: readonly Projection[] = projections,
): Promise<readonly string[]> => {
  await (await viewsOn(t, store, path, of)).close()
  return rowsIn(path)
}

test('rows that the log continues are used as they are', async (t) => {
  const setting = await closedViews(t)
  alter(setting.path)
  const rows = await reopened(t, setting)
  t.notDeepEqual(rows, setting.rows)
  t.true(rows.some((row) => row.includes('altered')))
})

const unusable: Readonly<Record<string, string>> = {
  'they were never finished': `UPDATE progress SET shape = '${UNFINISHED}'`,
  'their file has another shape': `UPDATE progress SET shape = 'file 0'`,
  'they were made from another log': `UPDATE progress SET logId = '${'f'.repeat(24)}'`,
  'the log has another event in the place they have come to': `UPDATE progress SET eventId = 'another'`,
  'they have come further than the log': 'UPDATE progress SET position = position + 9, mark = mark + 9',
  'a table is missing': 'DROP TABLE reservation',
  'a table has other columns': 'ALTER TABLE snapshot RENAME COLUMN state TO folded',
  'nobody knows how far they have come': 'DELETE FROM progress; DROP TABLE retry_key',
}

for (const [why, sql] of Object.entries(unusable)) {
  test(`rows are made again when ${why}`, async (t) => {
    const setting = await closedViews(t)
    alter(setting.path)
    execute(setting.path, sql)
    t.deepEqual(await reopened(t, setting), setting.rows)
  })
}

test('rows are made again when what a projection folds to has changed', async (t) => {
  const setting = await closedViews(t)
  alter(setting.path)
  const newer = projections.map((projection) => ({ ...projection, version: projection.version + 1 }))
  t.deepEqual(await reopened(t, setting, newer), setting.rows)
})

const damages: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'holds something else': (path) => writeFile(path, 'no database at all, only words\n'.repeat(500)),
  'ends too early': (path) => truncate(path, 5000),
  'is gone': (path) => rm(path),
  'is gone, and has left its log': async (path) => {
    await rm(path)
    await writeFile(`${path}-wal`, 'what is left of a log')
  },
}

for (const [how, damage] of Object.entries(damages)) {
  test(`rows are made again when their file ${how}`, async (t) => {
    const setting = await closedViews(t)
    await damage(setting.path)
    t.deepEqual(await reopened(t, setting), setting.rows)
  })
}

const PAGE = 4096

/** Makes the pages behind the tables' roots unreadable. */
const damagePages = async (path: string): Promise<void> => {
  const { size } = await stat(path)
  const database = new DatabaseSync(path)
  const roots = Number(database.prepare('SELECT max(rootpage) AS last FROM sqlite_schema').get()?.last)
  database.close()
  const file = await open(path, 'r+')
  for (let page = roots; page < size / PAGE; page++) await file.write(Buffer.alloc(PAGE, 0xff), 0, PAGE, page * PAGE)
  await file.close()
}

/** Reservations enough that what is damaged is not read at the start. */
const many = Array.from({ length: 200 }, (_, n) => {
  const created = reservationCreated(idOf(1000 + n), '08:00', '08:15')
  return recordedAt(story.length + n, at('18:00', created))
})

test('damage that only shows in use ends the service, and the next start makes the rows again', async (t) => {
  const setting = await closedViews(t)
  const { store, path } = setting
  await tell(store, many)
  const rows = await reopened(t, setting)
  await damagePages(path)
  const views = await viewsOn(t, store, path)
  t.deepEqual(views.fatal, [])
  t.throws(() => many.map((_, n) => views.newest('reservation', idOf(1000 + n))), { code: 'ERR_SQLITE_ERROR' })
  t.regex(String(views.fatal[0]), /views\.db is damaged; the next start rebuilds it/)
  t.false(existsSync(path))
  await views.close()
  t.deepEqual(await reopened(t, setting), rows)
})
