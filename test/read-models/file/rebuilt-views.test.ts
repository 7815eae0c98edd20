import { existsSync } from 'node:fs'
import { open, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { openOrRebuildViews } from '../../../src/read-models/file/views-file.ts'
import { idOf, reservationCreated } from '../../domain/builders.ts'
import { at, recordedAt } from '../../domain/given-when-then.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { rowsIn, story, tell, viewsOn } from '../setting.ts'

interface Setting {
  readonly store: EventStore
  readonly path: string
  /** The rows that the log results in. */
  readonly rows: readonly string[]
}

/** Closed views that have reached the end of the log. */
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

/** Alters a document, which reveals whether the rows have been rebuilt. */
const alter = (path: string): void => execute(path, `UPDATE sut SET document = '{"altered":true}' WHERE position = 0`)

const reopened = async (t: ExecutionContext, { store, path }: Setting): Promise<readonly string[]> => {
  await (await viewsOn(t, store, path)).close()
  return rowsIn(path)
}

test('rows that match the log are used as they are', async (t) => {
  const setting = await closedViews(t)
  alter(setting.path)
  const rows = await reopened(t, setting)
  t.notDeepEqual(rows, setting.rows)
  t.true(rows.some((row) => row.includes('altered')))
})

const unusable: Readonly<Record<string, string>> = {
  'their file has another version': `UPDATE progress SET shape = 'file 0'`,
  'a projection has another version': `UPDATE progress SET shape = replace(shape, 'session ', 'session 0')`,
  'they are from another log': `UPDATE progress SET logId = '${'f'.repeat(24)}'`,
  'the log has another event at their position': `UPDATE progress SET eventId = 'another'`,
  'they are ahead of the log': 'UPDATE progress SET position = position + 9, storePosition = storePosition + 9',
  'a table is missing': 'DROP TABLE reservation',
  'a table has other columns': 'ALTER TABLE snapshot RENAME COLUMN text TO folded',
  'their position is missing': 'DELETE FROM progress; DROP TABLE retry_key',
}

for (const [why, sql] of Object.entries(unusable)) {
  test(`rows are rebuilt when ${why}`, async (t) => {
    const setting = await closedViews(t)
    alter(setting.path)
    execute(setting.path, sql)
    t.deepEqual(await reopened(t, setting), setting.rows)
  })
}

const damages: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'is not a database': (path) => writeFile(path, 'no database at all, only words\n'.repeat(500)),
  'is truncated': (path) => truncate(path, 5000),
  'is missing': (path) => rm(path),
  'is missing but its WAL is not': async (path) => {
    await rm(path)
    await writeFile(`${path}-wal`, 'the remains of a WAL')
  },
}

for (const [how, damage] of Object.entries(damages)) {
  test(`rows are rebuilt when their file ${how}`, async (t) => {
    const setting = await closedViews(t)
    await damage(setting.path)
    t.deepEqual(await reopened(t, setting), setting.rows)
  })
}

test('rows of another shared log are kept, unless this one is a copy of it', async (t) => {
  const { store, path } = await closedViews(t)
  alter(path)
  const areKeptBy = async (copyOf: string): Promise<boolean> => {
    const shared = { ...store, logId: 'f'.repeat(24), copyOf }
    const { file } = await openOrRebuildViews({
      path,
      store: shared,
      mayRebuild: false,
      onFatal: () => t.fail(),
    })
    file.close()
    return rowsIn(path).some((row) => row.includes('altered'))
  }
  t.true(await areKeptBy('e'.repeat(24)))
  t.false(await areKeptBy(store.logId))
})

const PAGE = 4096

/** Makes the pages after the tables' root pages unreadable. */
const damagePages = async (path: string): Promise<void> => {
  const { size } = await stat(path)
  const database = new DatabaseSync(path)
  const roots = Number(database.prepare('SELECT max(rootpage) AS last FROM sqlite_schema').get()?.last)
  database.close()
  const file = await open(path, 'r+')
  for (let page = roots; page < size / PAGE; page++) await file.write(Buffer.alloc(PAGE, 0xff), 0, PAGE, page * PAGE)
  await file.close()
}

/** Enough reservations that the start does not read the damaged pages. */
const many = Array.from({ length: 200 }, (_, n) => {
  const created = reservationCreated(idOf(1000 + n), '08:00', '08:15')
  return recordedAt(story.length + n, at('18:00', created))
})

test('damage that is only found in use stops the service, and the next start rebuilds the rows', async (t) => {
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
