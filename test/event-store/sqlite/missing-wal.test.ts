import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { UnusableLog } from '../../../src/event-store/event-store.ts'
import { copyLogFile } from '../../../src/event-store/sqlite/copy.ts'
import { append, aStream, readAll, someEvents } from '../new-events.ts'
import { aDirectory, openStore } from './subject.ts'

const CLOSED = 2
const ALL = 5

/** A directory with what a killed writer left of a log, of whose events the last three are in the WAL alone. */
const aKilledLog = async (t: ExecutionContext) => {
  const home = await aDirectory(t)
  const [log, left] = [join(home, 'events.db'), join(home, 'left')]
  const stream = aStream()
  const first = openStore(t, log)
  await append(first, stream, -1, someEvents(stream, CLOSED))
  await first.close()
  const store = openStore(t, log)
  await append(store, stream, CLOSED - 1, someEvents(stream, ALL - CLOSED))
  mkdirSync(left)
  // By another process: closing a descriptor of the file here would drop its locks.
  execFileSync('cp', [log, `${log}-wal`, `${log}.lock`, left])
  return { home, stream, log, path: join(left, 'events.db') }
}

const refusedWithoutWal = (t: ExecutionContext, path: string, message: RegExp): void => {
  // Twice: neither a start nor a reader leaves a WAL that would hide it.
  for (const readOnly of [false, true, false])
    t.throws(() => openStore(t, path, { readOnly }), { instanceOf: UnusableLog, message })
  t.deepEqual(
    readdirSync(join(path, '..')).filter((name) => name.endsWith('-wal')),
    [],
  )
}

test('a log that was not closed is refused without its WAL, until that is put back', async (t) => {
  const { path, stream } = await aKilledLog(t)
  // Claimed where it is.
  renameSync(`${path}-wal`, `${path}-kept`)
  refusedWithoutWal(
    t,
    path,
    /was not closed by its last writer \(process \d+ on .*\): the last events are in .*-wal; .*put an empty file/,
  )
  renameSync(`${path}-kept`, `${path}-wal`)
  const store = openStore(t, path)
  t.is((await readAll(store, stream)).length, ALL)
  t.false(store.hasLostEvents)
})

test('a log whose WAL is removed where its writer was killed is refused by name', async (t) => {
  const { path, home } = await aKilledLog(t)
  const store = openStore(t, path)
  const copy = join(home, 'copy')
  mkdirSync(copy)
  execFileSync('cp', [path, copy])
  await store.close()
  rmSync(path)
  renameSync(join(copy, 'events.db'), path)
  refusedWithoutWal(
    t,
    path,
    /was not closed by .*, and .*left\/events\.db-wal with its last events is missing: put it back/,
  )
})

test('an empty WAL in the place of a lost one opens the log with what is left', async (t) => {
  const { path, stream } = await aKilledLog(t)
  writeFileSync(`${path}-wal`, '')
  const store = openStore(t, path)
  t.is((await readAll(store, stream)).length, CLOSED)
  t.true(store.hasLostEvents)
})

test('a backup of an open log, and a log that was closed, need no WAL', async (t) => {
  const { home, log, path, stream } = await aKilledLog(t)
  copyLogFile(log, join(home, 'backup.db'))
  t.is((await readAll(openStore(t, join(home, 'backup.db'), { readOnly: true }), stream)).length, ALL)
  t.is((await readAll(openStore(t, join(home, 'backup.db')), stream)).length, ALL)
  await openStore(t, path).close()
  t.deepEqual(readdirSync(join(path, '..')), ['events.db', 'events.db.lock'])
  t.is((await readAll(openStore(t, path), stream)).length, ALL)
})
