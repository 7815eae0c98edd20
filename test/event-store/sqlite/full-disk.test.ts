import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import type { NewEvent } from '../../../src/domain/event.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { append, aStream, outcomeOf, readAll, someEvents } from '../new-events.ts'
import { aPath, openStore } from './subject.ts'

/** Far fewer events than the WAL holds before a checkpoint is due by its length. */
const COUNT = 20

/** Repeats an append, which commits without writing anything, until a checkpoint has copied the WAL into the file. */
const untilCheckpointed = async (path: string, store: EventStore, stream: string, events: readonly NewEvent[]) => {
  for (const before = statSync(path).size; statSync(path).size === before; ) await append(store, stream, -1, events)
}

test('after an append found no room, the next one that fits has the WAL checkpointed', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path, { isSyncDeferred: true, limits: { pagesMax: 60 } })
  const stream = aStream()
  const events = someEvents(stream, COUNT)
  t.is(outcomeOf(await append(store, stream, -1, events)), 'done')
  t.is(outcomeOf(await append(store, stream, COUNT - 1, someEvents(stream, 1000))), 'full')
  await untilCheckpointed(path, store, stream, events)
  t.is((await readAll(store, stream)).length, COUNT)
})

test('a WAL that could not be checkpointed at the start is checkpointed after the first append', async (t) => {
  const path = await aPath(t)
  const first = openStore(t, path, { isSyncDeferred: true })
  const reader = new DatabaseSync(path, { readOnly: true })
  t.teardown(() => reader.close())
  reader.exec('BEGIN; SELECT count(*) FROM event')
  const stream = aStream()
  const events = someEvents(stream, COUNT)
  t.is(outcomeOf(await append(first, stream, -1, events)), 'done')
  await first.close()
  const store = openStore(t, path, { isSyncDeferred: true, limits: { busyTimeout: 10 } })
  reader.exec('COMMIT')
  await untilCheckpointed(path, store, stream, events)
  t.is((await readAll(store, stream)).length, COUNT)
})
