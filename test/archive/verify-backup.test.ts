import { copyFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { makeBackup } from '../../src/archive/backup.ts'
import type { BackupCheckpoint } from '../../src/archive/verify-backup.ts'
import { findProblems } from '../../src/archive/verify-backup.ts'
import { leafHash } from '../../src/event-store/stored-event.ts'
import { append, aStream, someEvents } from '../event-store/new-events.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { withoutTriggers } from '../event-store/sqlite/without-triggers.ts'
import { rightOf } from '../users/builders.ts'
import { temporaryDirectory } from '../users/temporary-directory.ts'

const NOW = Date.parse('2030-05-02T05:58:11.400Z')

/** A backup of 40 events. */
const aBackup = async (
  t: ExecutionContext,
): Promise<{ readonly copy: string; readonly checkpoint: BackupCheckpoint }> => {
  const directory = await temporaryDirectory(t)
  const source = { log: join(directory, 'events.db'), origin: 'berth' }
  const store = openStore(t, source.log)
  for (let i = 0; i < 20; i++) {
    const stream = aStream()
    await append(store, stream, -1, someEvents(stream, 2))
  }
  const checkpoint = rightOf(await makeBackup(source, join(directory, 'backup'), { now: NOW }))
  return { copy: join(directory, 'backup', 'events.db'), checkpoint }
}

const problemsOf = (copy: string, checkpoint: BackupCheckpoint) => findProblems(copy, checkpoint, () => undefined)

/** Tampers with a copy. */
const change = (copy: string, sql: string, ...values: readonly (string | number | Uint8Array)[]): void => {
  const database = new DatabaseSync(copy)
  try {
    withoutTriggers(database, () => database.prepare(sql).run(...values))
  } finally {
    database.close()
  }
}

const recordedAt = (copy: string, position: number): string => {
  const database = new DatabaseSync(copy, { readOnly: true })
  try {
    return String(database.prepare('SELECT recorded FROM event WHERE position = ?').get(position)?.recorded)
  } finally {
    database.close()
  }
}

test('an unchanged copy has no problems', async (t) => {
  const { copy, checkpoint } = await aBackup(t)
  t.is(checkpoint.events, 40)
  t.deepEqual(problemsOf(copy, checkpoint), [])
})

test('a changed event is found by its own hash', async (t) => {
  const { copy, checkpoint } = await aBackup(t)
  change(copy, "UPDATE event SET recorded = replace(recorded, 'note 1', 'note 7') WHERE position = 17")
  t.deepEqual(problemsOf(copy, checkpoint), ['the event at 17 does not match its hash'])
})

test('an event changed together with its hash is found by the root hash', async (t) => {
  const { copy, checkpoint } = await aBackup(t)
  const forged = recordedAt(copy, 17).replace('note 1', 'note 7')
  change(copy, 'UPDATE event SET recorded = ?, leaf = ? WHERE position = 17', forged, leafHash(forged))
  t.deepEqual(problemsOf(copy, checkpoint), ['its Merkle root differs from that of the log'])
})

test('a missing event is found, in the middle or at the end', async (t) => {
  const middle = await aBackup(t)
  change(middle.copy, 'DELETE FROM event WHERE position = 17')
  t.deepEqual(problemsOf(middle.copy, middle.checkpoint), ['the event at 17 is missing'])
  const end = await aBackup(t)
  change(end.copy, 'DELETE FROM event WHERE position = 39')
  t.deepEqual(problemsOf(end.copy, end.checkpoint), ['it has 39 events, the log had 40'])
})

test('an unreadable event is found and named', async (t) => {
  const { copy, checkpoint } = await aBackup(t)
  const forged = recordedAt(copy, 17).replace('"schema":1', '"schema":65000')
  change(copy, 'UPDATE event SET recorded = ?, leaf = ? WHERE position = 17', forged, leafHash(forged))
  t.regex(problemsOf(copy, checkpoint).join(), /^sut-.*@1: \/metadata\/schema: 65000 was written by a newer version/)
})

test('a damaged file is found', async (t) => {
  const { copy, checkpoint } = await aBackup(t)
  const file = await open(copy, 'r+')
  await file.write(Buffer.alloc(512, 0xff), 0, 512, 4096 * 4)
  await file.close()
  const problems = problemsOf(copy, checkpoint)
  t.true(problems.length > 0)
})

test('the copy of another log is found', async (t) => {
  const [one, other] = [await aBackup(t), await aBackup(t)]
  await copyFile(other.copy, one.copy)
  t.deepEqual(problemsOf(one.copy, one.checkpoint), ['its last event is not the last event of the log'])
})
