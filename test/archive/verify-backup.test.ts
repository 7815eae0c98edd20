import { copyFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { type BackupCheckpoint, findProblems, makeBackup } from '../../src/archive/backup.ts'
import { leafHash } from '../../src/event-store/stored-event.ts'
import { append, aStream, someEvents } from '../event-store/new-events.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { withoutTriggers } from '../event-store/sqlite/without-triggers.ts'
import { temporaryData } from '../http/harness.ts'
import { rightOf } from '../users/builders.ts'

const NOW = Date.parse('2030-05-02T05:58:11.400Z')

/** A backup of 40 events. */
const aBackup = async (
  t: ExecutionContext,
): Promise<{ readonly copy: string; readonly checkpoint: BackupCheckpoint }> => {
  const directory = await temporaryData(t)
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

/** Changes an event together with its hash. */
const forge = (copy: string, from: string, to: string): void => {
  const database = new DatabaseSync(copy, { readOnly: true })
  const { recorded } = database.prepare('SELECT recorded FROM event WHERE position = 17').get() as { recorded: string }
  database.close()
  const forged = recorded.replace(from, to)
  change(copy, 'UPDATE event SET recorded = ?, leaf = ? WHERE position = 17', forged, leafHash(forged))
}

const damage = async (copy: string): Promise<void> => {
  const file = await open(copy, 'r+')
  await file.write(Buffer.alloc(512, 0xff), 0, 512, 4096 * 4)
  await file.close()
}

/** What becomes of a copy, and what is found then. */
const TAMPERINGS: readonly (readonly [what: string, (copy: string) => unknown, found: RegExp])[] = [
  [
    'a changed event by its own hash',
    (copy) => change(copy, "UPDATE event SET recorded = replace(recorded, 'note 1', 'note 7') WHERE position = 17"),
    /^the event at 17 does not match its hash$/,
  ],
  [
    'an event changed together with its hash by the root',
    (copy) => forge(copy, 'note 1', 'note 7'),
    /^its Merkle root differs from that of the log$/,
  ],
  ['a missing event', (copy) => change(copy, 'DELETE FROM event WHERE position = 17'), /^the event at 17 is missing$/],
  [
    'a missing end',
    (copy) => change(copy, 'DELETE FROM event WHERE position = 39'),
    /^it has 39 events, the log had 40$/,
  ],
  [
    'an unreadable event',
    (copy) => forge(copy, '"schema":1', '"schema":65000'),
    /^sut-.*@1: \/metadata\/schema: 65000 was written by a newer version/,
  ],
  ['a damaged file', damage, /./],
]

test('an unchanged copy has no problems, and that of another log is found', async (t) => {
  const [{ copy, checkpoint }, other] = [await aBackup(t), await aBackup(t)]
  t.is(checkpoint.events, 40)
  t.deepEqual(await problemsOf(copy, checkpoint), [])
  await copyFile(other.copy, copy)
  t.deepEqual(await problemsOf(copy, checkpoint), ['its last event is not the last event of the log'])
})

for (const [what, tamper, found] of TAMPERINGS)
  test(`${what} is found in a copy`, async (t) => {
    const { copy, checkpoint } = await aBackup(t)
    await tamper(copy)
    t.regex((await problemsOf(copy, checkpoint)).join(), found)
  })
