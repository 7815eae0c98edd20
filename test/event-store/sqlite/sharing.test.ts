import { once } from 'node:events'
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { BEGINNING, UnusableLog } from '../../../src/event-store/event-store.ts'
import { LockTaken } from '../../../src/files/lock.ts'
import { append, aStream, outcomeOf, readAll, someEvents } from '../new-events.ts'
import { aDirectory, aPath, openInAnother, openStore } from './subject.ts'

test('a second writer is refused by any path and process, and the error names the first', async (t) => {
  const directory = await aDirectory(t)
  mkdirSync(join(directory, 'data'))
  const path = join(directory, 'data', 'events.db')
  const store = openStore(t, path)
  symlinkSync(join(directory, 'data'), join(directory, 'link'))
  symlinkSync(path, join(directory, 'log'))
  for (const way of [path, join(directory, 'link', 'events.db'), join(directory, 'log')]) {
    const error = t.throws(() => openStore(t, way), { instanceOf: LockTaken })
    t.true(error.message.includes(`process ${process.pid} `))
  }
  t.true((await openInAnother(t, join(directory, 'link', 'events.db'))).said.includes(`process ${process.pid} `))
  await store.close()
  const { child, said } = await openInAnother(t, path)
  t.is(said, 'open\n')
  const error = t.throws(() => openStore(t, path), { instanceOf: LockTaken })
  t.true(error.message.includes(`process ${child.pid} `))
  child.stdin?.end()
  await once(child, 'exit')
  await openStore(t, path).close()
})

test('a concurrent reader follows the log, takes no lock and writes nothing', async (t) => {
  const path = await aPath(t)
  const writer = openStore(t, path)
  const reader = openStore(t, path, { readOnly: true })
  const stream = aStream()
  const events = someEvents(stream, 600)
  await append(writer, stream, -1, events.slice(0, 500))
  t.is((await readAll(reader, stream)).length, 500)
  t.is(await reader.head(), toStorePosition(499))
  t.is(reader.logId, writer.logId)
  let seen = 0
  for await (const { events: page, caughtUp } of reader.subscribe(BEGINNING, new AbortController().signal)) {
    seen += page.length
    if (caughtUp && seen === 500) void append(writer, stream, 499, events.slice(500))
    if (seen === 600) break
  }
  t.is(outcomeOf(await append(reader, stream, 599, someEvents(stream, 1))), 'unavailable')
  await t.throwsAsync(reader.writeSecrets([]), { name: 'StoreUnavailable' })
  t.is((await readAll(writer, stream)).length, 600)
})

test('a reader does not create a missing log', async (t) => {
  const path = await aPath(t)
  t.throws(() => openStore(t, path, { readOnly: true }), { instanceOf: UnusableLog, message: /does not exist/ })
  t.false(existsSync(path))
  writeFileSync(path, '')
  t.throws(() => openStore(t, path, { readOnly: true }), { instanceOf: UnusableLog, message: /contains no log yet/ })
  t.is(statSync(path).size, 0)
})

test('closing completes queued appends, ends subscriptions, and is idempotent', async (t) => {
  const path = await aPath(t)
  const store = openStore(t, path)
  const stream = aStream()
  const following = (async () => {
    let count = 0
    for await (const { events } of store.subscribe(BEGINNING, new AbortController().signal)) count += events.length
    return count
  })()
  const queued = append(store, stream, -1, someEvents(stream, 3))
  const closed = store.close()
  const late = append(store, stream, 2, someEvents(stream, 1))
  t.is(outcomeOf(await queued), 'done')
  t.is(outcomeOf(await late), 'unavailable')
  await closed
  await store.close()
  t.true([0, 3].includes(await following))
  await t.throwsAsync(readAll(store, stream), { name: 'StoreUnavailable' })
  await t.throwsAsync(store.head(), { name: 'StoreUnavailable' })
})
