import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { makeEventId } from '../../../src/domain/values/ids.ts'
import { openViewsFile } from '../../../src/read-models/file/views-file.ts'
import { openViews } from '../../../src/read-models/views.ts'
import { append, done, randomHex } from '../../event-store/new-events.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { manyEvents } from '../lists/many-reservations.ts'
import { rowsIn, viewsOn } from '../setting.ts'

const EVENTS = [...manyEvents({ reservations: 6_000, suts: 40, users: 10 })].map((event, n) => ({
  ...event,
  id: makeEventId(n, randomHex(10)),
}))
const APPENDED = 1_000

test('views closed while they catch up keep everything folded, and the next open continues from there', async (t) => {
  const directory = await aDirectory(t)
  const [path, atOnce] = [join(directory, 'views.db'), join(directory, 'at-once.db')]
  const store = openStore(t, join(directory, 'events.db'))
  for (let n = 0; n < EVENTS.length; n += APPENDED) {
    done(await append(store, 'sut-of-all', n - 1, EVENTS.slice(n, n + APPENDED)))
  }
  const none = (): void => undefined
  const onFatal = (error: unknown): void => t.fail(String(error))
  const early = await openViews({ path, store, onAlarm: none, onRecovery: none, onFatal })
  while (early.position() < EVENTS.length / 2) await turn()
  t.false(early.caughtUp())
  await early.close()
  const closed = openViewsFile(path, { readOnly: true })
  t.is(closed.progress()?.position, early.position())
  t.true(early.position() < EVENTS.length - 1)
  closed.close()
  await (await viewsOn(t, store, path)).close()
  await (await viewsOn(t, store, atOnce)).close()
  t.deepEqual(rowsIn(path), rowsIn(atOnce))
})
