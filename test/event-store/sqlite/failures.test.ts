import { spawn } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import type { NewEvent } from '../../../src/domain/event.ts'
import type { SealedSecret } from '../../../src/domain/sealed-secret.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { anEvent, append, aSecret, aStream, idsOf, outcomeOf, readAll, readLog, someEvents } from '../new-events.ts'
import { aPath, openStore } from './subject.ts'

/** Another connection to the file, like an operator's shell. */
const shell = (t: ExecutionContext, path: string): DatabaseSync => {
  const database = new DatabaseSync(path)
  t.teardown(() => database.close())
  return database
}

/** Counts the events that a new subscription delivers until the store is closed. */
const watch = (store: EventStore): { readonly seen: () => number; readonly ended: Promise<void> } => {
  let count = 0
  const ended = (async () => {
    const from = await store.head()
    for await (const { events } of store.subscribe(from, new AbortController().signal)) count += events.length
  })()
  return { seen: () => count, ended }
}

/** Appends until the file is full; returns the failed outcome and the number of events. */
const fill = async (store: EventStore, stream: string): Promise<{ outcome: string; count: number }> => {
  for (let count = 0; ; count += 20) {
    const outcome = outcomeOf(await append(store, stream, count - 1, someEvents(stream, 20)))
    if (outcome !== 'done') return { outcome, count }
  }
}

test('appends to a full file fail, reads continue, and writes resume once there is room', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path, { limits: { pagesMax: 60 } })
  const stream = aStream()
  await store.writeSecrets([aSecret(stream, 'password', 100_000)])
  const { outcome, count } = await fill(store, stream)
  t.is(outcome, 'full')
  t.true(count > 20)
  const watching = watch(store)
  // All appends of a batch fail if one does not fit; they can be retried.
  const other = aStream()
  const small = someEvents(other, 1)
  const batch = [append(store, other, -1, small), append(store, stream, count - 1, someEvents(stream, 100))]
  t.deepEqual((await Promise.all(batch)).map(outcomeOf), ['full', 'full'])
  t.is((await readAll(store, stream)).length, count)
  t.is((await readLog(store, -1)).length, count)
  t.is(watching.seen(), 0)
  await t.throwsAsync(store.writeSecrets([aSecret(aStream(), 'password', 100_000)]), { name: 'StoreUnavailable' })

  shell(t, path).exec('DELETE FROM vault')
  const more = someEvents(stream, 20)
  t.is(outcomeOf(await append(store, stream, count - 1, more)), 'done')
  t.deepEqual(idsOf(await readAll(store, stream, count - 1)), idsOf(more))
  // This also holds for an append earlier in the batch.
  const again = [append(store, other, -1, small), append(store, stream, count + 19, someEvents(stream, 1000))]
  t.deepEqual((await Promise.all(again)).map(outcomeOf), ['full', 'full'])
  t.is(outcomeOf(await append(store, stream, count + 19, someEvents(stream, 1))), 'done')
  t.is(outcomeOf(await append(store, other, -1, small)), 'done')
  await store.close()
  await watching.ended
  t.is(watching.seen(), 22)
})

const TRAP = `
  CREATE TABLE elsewhere (id INTEGER PRIMARY KEY);
  CREATE TABLE trap (id INTEGER REFERENCES elsewhere DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER trapped AFTER INSERT ON event WHEN NEW.recorded LIKE '%the last straw%'
    BEGIN INSERT INTO trap VALUES (1); END;
`

test('a failed commit leaves every append of its batch unknown and writes nothing', async (t) => {
  const path = await aPath(t)
  const fatal: Error[] = []
  const store = openStore(t, path, { onFatal: (error) => fatal.push(error) })
  const [known, fresh, other] = [aStream(), aStream(), aStream()]
  const [before, first] = [someEvents(known, 2), someEvents(fresh, 2)]
  await append(store, known, -1, before)
  const watching = watch(store)
  const database = shell(t, path)
  database.exec(TRAP)
  const batch = () => [
    append(store, fresh, -1, first, [aSecret(fresh, 'password')]),
    append(store, fresh, -1, first),
    append(store, known, -1, before),
    append(store, known, -1, someEvents(known, 1)),
    append(store, other, -1, [anEvent(other, 'the last straw')]),
  ]
  const outcomes = (await Promise.all(batch())).map(outcomeOf)
  const head = await store.head()
  t.deepEqual(outcomes, Array(5).fill('unknown'))
  t.is(head, toStorePosition(1))
  t.deepEqual((await Promise.all(batch())).map(outcomeOf), Array(5).fill('unavailable'))
  await t.throwsAsync(store.writeSecrets([aSecret(other, 'password')]), { name: 'StoreUnavailable' })
  t.is(fatal.length, 1)
  t.deepEqual(idsOf(await readAll(store, known)), idsOf(before))
  t.deepEqual(await readAll(store, fresh), [])
  t.deepEqual(await store.readSecrets(fresh.slice(4)), [])
  await store.close()
  await watching.ended
  t.is(watching.seen(), 0)

  database.exec('DROP TRIGGER trapped')
  const again = openStore(t, path)
  t.is(outcomeOf(await append(again, fresh, -1, first)), 'done')
  t.is(await again.head(), toStorePosition(3))
})

test('an invalid append fails alone and leaves nothing behind', async (t) => {
  const store = openStore(t, await aPath(t))
  const [good, bad] = [aStream(), aStream()]
  const secret = { ...aSecret(bad, 'password'), ciphertext: undefined } as unknown as SealedSecret
  const [first, second, third] = await Promise.allSettled([
    append(store, good, -1, someEvents(good, 1)),
    append(store, bad, -1, someEvents(bad, 3), [aSecret(bad, 'user_name'), secret]),
    append(store, good, 0, someEvents(good, 1)),
  ])
  t.is(second.status, 'rejected')
  for (const result of [first, third]) t.is(result.status === 'fulfilled' && outcomeOf(result.value), 'done')
  t.deepEqual(await readAll(store, bad), [])
  t.deepEqual(await store.readSecrets(bad.slice(4)), [])
  t.is(await store.head(), toStorePosition(1))
  await t.throwsAsync(store.writeSecrets([secret]), { message: /constraint failed: vault.ciphertext/ })
  t.is(outcomeOf(await append(store, bad, -1, someEvents(bad, 1))), 'done')
})

test('an append is unavailable while another connection locks the file, and works afterwards', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path, { limits: { busyTimeout: 10 } })
  const stream = aStream()
  const database = shell(t, path)
  database.exec('BEGIN IMMEDIATE')
  t.is(outcomeOf(await append(store, stream, -1, someEvents(stream, 1))), 'unavailable')
  t.deepEqual(await readAll(store, stream), [])
  database.exec('ROLLBACK')
  t.is(outcomeOf(await append(store, stream, -1, someEvents(stream, 1))), 'done')
})

test('the store shuts down when another process has written to the log', async (t) => {
  const path = await aPath(t)
  const fatal: Error[] = []
  const store = openStore(t, path, { onFatal: (error) => fatal.push(error) })
  const stream = aStream()
  await append(store, stream, -1, someEvents(stream, 1))
  shell(t, path).exec('INSERT INTO event SELECT 1, 0, recorded, leaf FROM event')
  t.is(outcomeOf(await append(store, stream, 0, someEvents(stream, 1))), 'unknown')
  t.is(outcomeOf(await append(store, stream, 0, someEvents(stream, 1))), 'unavailable')
  t.regex(fatal.map(({ message }) => message).join(), /^another process has written the log$/)
})

const onSystemsWithLimits = process.platform === 'win32' ? test.skip : test
onSystemsWithLimits(
  'after a disk failure, the outcome is unknown, the store shuts down and nothing is lost',
  async (t) => {
    const path = await aPath(t)
    const script = fileURLToPath(new URL('limited-disk.ts', import.meta.url))
    const child = spawn('sh', ['-c', 'ulimit -f 400 && exec "$0" "$@"', process.execPath, script, path])
    const report = JSON.parse(await text(child.stdout))
    const { stream, acknowledged, lost } = report as { stream: string; acknowledged: number; lost: readonly NewEvent[] }
    t.like(report, { outcome: 'unknown', next: 'unavailable', fatal: 1, readable: acknowledged })
    t.true(acknowledged > 0)
    const store = openStore(t, path)
    const there = (await readAll(store, stream)).length
    t.true(there === acknowledged || there === acknowledged + lost.length)
    t.is(outcomeOf(await append(store, stream, acknowledged - 1, lost)), 'done')
    t.deepEqual(idsOf(await readAll(store, stream, acknowledged - 1)), idsOf(lost))
  },
)
