import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { makeWalCheckpoints } from '../../src/files/wal-checkpoints.ts'
import { aDirectory } from '../event-store/sqlite/subject.ts'

const PAGES = 50
const PAGE_BYTES = 4_096
/** A page of its own for each row. */
const ROW = 'x'.repeat(3_000)

const given = async (t: ExecutionContext) => {
  const path = join(await aDirectory(t), 'some.db')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE row (text TEXT)')
  const checkpoints = makeWalCheckpoints(database, { path, pages: PAGES })
  t.teardown(async () => {
    await checkpoints.close()
    database.close()
  })
  const insert = database.prepare('INSERT INTO row VALUES (?)')
  const commit = (): void => {
    insert.run(ROW)
    checkpoints.afterCommit()
  }
  const lengths = () => database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number; checkpointed: number }
  const count = () => (database.prepare('SELECT count(*) AS n FROM row').get() as { n: number }).n
  /** Commits until a checkpoint is under way; how many. */
  const commitUntilUnderWay = async (): Promise<number> => {
    for (let n = 1; ; n++) {
      commit()
      if (checkpoints.inProgress() !== undefined) return n
      await turn()
    }
  }
  return { path, database, checkpoints, commit, commitUntilUnderWay, lengths, count }
}

test('a journal that has grown is put into the file and started anew by another thread', async (t) => {
  const { path, checkpoints, commitUntilUnderWay, lengths, count } = await given(t)
  let rows = await commitUntilUnderWay()
  await checkpoints.inProgress()
  const size = statSync(`${path}-wal`).size
  for (let round = 0; round < 5; round++) {
    t.is(lengths().log, 1, 'it begins with what the thread wrote')
    rows += await commitUntilUnderWay()
    await checkpoints.inProgress()
  }
  t.is(count(), rows)
  t.true(statSync(`${path}-wal`).size <= Math.max(size, (PAGES + 2) * (PAGE_BYTES + 24) + 32))
})

test('who cannot wait may write while it is copied, and then it is started anew the next time', async (t) => {
  const { checkpoints, commit, commitUntilUnderWay, lengths, count } = await given(t)
  let rows = await commitUntilUnderWay()
  if (checkpoints.mayWrite()) {
    commit()
    rows++
  }
  await checkpoints.inProgress()
  while (lengths().log > 1) {
    rows += await commitUntilUnderWay()
    await checkpoints.inProgress()
  }
  t.is(count(), rows)
})

test('while a journal is being started anew nobody else writes', async (t) => {
  const { checkpoints, commitUntilUnderWay, database } = await given(t)
  for (let round = 0; round < 20; round++) {
    await commitUntilUnderWay()
    while (checkpoints.inProgress() !== undefined) {
      // The thread holds the lock only while this is false.
      if (checkpoints.mayWrite()) t.notThrows(() => database.exec('BEGIN IMMEDIATE; COMMIT'))
      await turn()
    }
  }
})

test('a journal that somebody still reads is put into the file and goes on', async (t) => {
  const { path, checkpoints, commitUntilUnderWay, lengths } = await given(t)
  await commitUntilUnderWay()
  await checkpoints.inProgress()
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM row').get()
  await commitUntilUnderWay()
  await checkpoints.inProgress()
  await commitUntilUnderWay()
  await checkpoints.inProgress()
  t.true(lengths().log > PAGES)
  reader.close()
  await commitUntilUnderWay()
  await checkpoints.inProgress()
  await commitUntilUnderWay()
  await checkpoints.inProgress()
  t.true(lengths().log <= 2 * PAGES)
})

test('without the thread checkpoints are those of SQLite', async (t) => {
  const directory = await aDirectory(t)
  const database = new DatabaseSync(join(directory, 'some.db'))
  t.teardown(() => database.close())
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE row (text TEXT)')
  const path = join(directory, 'no.db')
  writeFileSync(path, 'no database, and long enough to be told from an empty one'.repeat(100))
  const checkpoints = makeWalCheckpoints(database, { path, pages: PAGES })
  const limit = () => database.prepare('PRAGMA wal_autocheckpoint').get()?.wal_autocheckpoint
  t.is(limit(), 0)
  while (limit() === 0) {
    database.prepare('INSERT INTO row VALUES (?)').run(ROW)
    checkpoints.afterCommit()
    await turn()
  }
  t.is(limit(), PAGES)
  t.is(checkpoints.inProgress(), undefined)
  await checkpoints.close()
})
