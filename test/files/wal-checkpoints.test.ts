import { rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { SQLITE, sqliteCode } from '../../src/files/sqlite.ts'
import { makeWalCheckpoints } from '../../src/files/wal-checkpoints.ts'
import { aDirectory } from '../event-store/sqlite/subject.ts'

const PAGES = 50
const PAGE_BYTES = 4_096
/** Fills one page per row. */
const ROW = 'x'.repeat(3_000)

const given = async (t: ExecutionContext) => {
  const path = join(await aDirectory(t), 'some.db')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE row (text TEXT)')
  const failures: string[] = []
  const onFailure = ({ message }: Error): void => void failures.push(message)
  const checkpoints = makeWalCheckpoints(database, { path, pages: PAGES, onFailure })
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
  /** Commits until a checkpoint is in progress; returns the number of commits. */
  const commitUntilCheckpoint = async (): Promise<number> => {
    for (let n = 1; ; n++) {
      commit()
      if (checkpoints.inProgress() !== undefined) return n
      await turn()
    }
  }
  return { path, database, checkpoints, commit, commitUntilCheckpoint, lengths, count, failures }
}

test('a large WAL is checkpointed and restarted by a worker thread', async (t) => {
  const { path, checkpoints, commitUntilCheckpoint, lengths, count } = await given(t)
  let rows = await commitUntilCheckpoint()
  await checkpoints.inProgress()
  const size = statSync(`${path}-wal`).size
  for (let round = 0; round < 5; round++) {
    t.is(lengths().log, 1, 'the WAL restarts with the write of the thread')
    rows += await commitUntilCheckpoint()
    await checkpoints.inProgress()
  }
  t.is(count(), rows)
  t.true(statSync(`${path}-wal`).size <= Math.max(size, (PAGES + 2) * (PAGE_BYTES + 24) + 32))
})

test('commits during a checkpoint succeed or find the database busy, and the WAL restarts at a later one', async (t) => {
  const { checkpoints, commit, commitUntilCheckpoint, lengths, count } = await given(t)
  let rows = 0
  for (let round = 0; round < 20 || lengths().log > 1; round++) {
    rows += await commitUntilCheckpoint()
    while (round < 20 && checkpoints.inProgress() !== undefined) {
      try {
        commit()
        rows++
      } catch (error) {
        t.is(sqliteCode(error), SQLITE.busy)
      }
      await turn()
    }
    await checkpoints.inProgress()
  }
  t.is(count(), rows)
})

test('a WAL in use by a reader is checkpointed but restarted only later', async (t) => {
  const { path, checkpoints, commitUntilCheckpoint, lengths } = await given(t)
  await commitUntilCheckpoint()
  await checkpoints.inProgress()
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM row').get()
  await commitUntilCheckpoint()
  await checkpoints.inProgress()
  await commitUntilCheckpoint()
  await checkpoints.inProgress()
  t.true(lengths().log > PAGES)
  reader.close()
  await commitUntilCheckpoint()
  await checkpoints.inProgress()
  await commitUntilCheckpoint()
  await checkpoints.inProgress()
  t.true(lengths().log <= 2 * PAGES)
})

test('a script runs in the worker thread, which is in progress meanwhile', async (t) => {
  const { checkpoints, count, commit } = await given(t)
  commit()
  let isOver = false
  const slow = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT count(*) FROM n'
  const ran = checkpoints.run(`BEGIN IMMEDIATE; INSERT INTO row ${slow}; COMMIT`).finally(() => {
    isOver = true
  })
  let turns = 0
  while (!isOver) {
    if (checkpoints.inProgress() !== undefined) turns++
    await turn()
  }
  t.true(await ran)
  t.true(turns > 0, 'this thread was not blocked')
  t.is(count(), 2)
})

test('a script that cannot run now changes nothing, and one that is wrong is reported', async (t) => {
  const { path, checkpoints, count, failures } = await given(t)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  t.false(await checkpoints.run("BEGIN IMMEDIATE; INSERT INTO row VALUES ('x'); COMMIT"))
  other.close()
  t.deepEqual([count(), failures], [0, []])
  t.false(
    await checkpoints.run("BEGIN IMMEDIATE; INSERT INTO row VALUES ('x'); INSERT INTO nothing VALUES (1); COMMIT"),
  )
  t.deepEqual([count(), failures.length], [0, 1])
  t.true(await checkpoints.run("BEGIN IMMEDIATE; INSERT INTO row VALUES ('x'); COMMIT"))
  t.is(count(), 1)
})

test('the WAL is emptied unless somebody reads, and the next commit does not wait for its header', async (t) => {
  const { path, checkpoints, commit, lengths, count } = await given(t)
  for (let n = 0; n < 20; n++) commit()
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM row').get()
  commit()
  t.false(await checkpoints.truncate())
  t.true(statSync(`${path}-wal`).size > 20 * PAGE_BYTES)
  reader.close()
  t.true(await checkpoints.truncate())
  t.is(statSync(`${path}-wal`).size, PAGE_BYTES + 24 + 32, 'the write of the thread')
  t.is(lengths().log, 1)
  commit()
  t.is(count(), 22)
})

test('after the disk was full, the first commit has a short WAL checkpointed and restarted', async (t) => {
  const { checkpoints, commit, lengths, count } = await given(t)
  for (let n = 0; n < 5; n++) commit()
  checkpoints.afterFull()
  t.is(checkpoints.inProgress(), undefined, 'there may be no room yet')
  // Reports one commit again until the thread is ready.
  for (checkpoints.afterCommit(); checkpoints.inProgress() === undefined; checkpoints.afterCommit()) await turn()
  await checkpoints.inProgress()
  t.is(lengths().log, 1)
  commit()
  t.is(checkpoints.inProgress(), undefined, 'only once')
  t.is(count(), 6)
})

test('if the worker thread fails, commits go on, and another one is started', async (t) => {
  const path = join(await aDirectory(t), 'some.db')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE row (text TEXT)')
  const broken = join(await aDirectory(t), 'some.db')
  writeFileSync(broken, 'not a database, and too long to pass for an empty one'.repeat(100))
  const checkpoints = makeWalCheckpoints(database, { path: broken, pages: PAGES })
  t.teardown(async () => {
    await checkpoints.close()
    database.close()
  })
  t.false(await checkpoints.truncate())
  database.exec("INSERT INTO row VALUES ('x')")
  checkpoints.afterCommit()
  rmSync(broken)
  symlinkSync(path, broken)
  t.true(await checkpoints.truncate())
})
