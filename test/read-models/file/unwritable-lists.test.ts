import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { projections } from '../../../projections/index.ts'
import { toStorePosition } from '../../../src/domain/values/position.ts'
import { replay } from '../../../src/read-models/replay.ts'
import { aDirectory, openStore } from '../../event-store/sqlite/subject.ts'
import { start } from '../../http/harness.ts'
import { faultsOf, refusalOf } from '../../http/refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { shellOn, story, tell, viewsOn } from '../setting.ts'

/** Makes the write of one row fail, in the middle of others. */
const FORBID = `CREATE TRIGGER forbidden BEFORE INSERT ON reservation WHEN new.position > 20
  BEGIN SELECT RAISE(ABORT, 'the disk does not take it'); END`
const ALLOW = 'DROP TRIGGER forbidden'

const BUSY = 5

/** The service, in this thread, may be amid a transaction, so waiting for it here would be in vain. */
const execWhenFree = (shell: DatabaseSync, sql: string): Promise<void> =>
  until(
    'the file is free',
    async () => {
      try {
        shell.exec(sql)
        return true
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== BUSY) throw error
        return false
      }
    },
    10_000,
  )

test('lists are unavailable while rows cannot be written, and complete afterwards', async (t) => {
  const directory = await aDirectory(t)
  const store = openStore(t, join(directory, 'events.db'))
  const path = join(directory, 'views.db')
  const views = await viewsOn(t, store, path)
  const shell = shellOn(t, path)
  shell.exec(FORBID)
  await tell(store, story.slice(0, 10))
  t.true(await views.waitForStorePosition(toStorePosition(9), 10_000))
  const before = await views.read('reservations', { limit: 100, offset: 0 })
  t.is(before?.listed.count, 3)
  await tell(store, story.slice(10))
  t.true(await views.waitForStorePosition(toStorePosition(story.length - 1), 10_000))
  t.is(views.read('reservations', { limit: 100, offset: 0 }), undefined)
  const recovery = views.nextReport()
  shell.exec(ALLOW)
  t.is(await recovery, 'views can be written again')
  // A quarter of the twelve is cancelled.
  const after = await views.read('reservations', { limit: 100, offset: 0 })
  t.deepEqual([after?.listed.count, after?.listed.documents.length], [9, 9])
  await views.close()
  t.deepEqual((await replay(path, store, projections)).differences, [])
})

test('a list is 503 unavailable while its rows cannot be written, and reads by id still work', async (t) => {
  const service = await start(t, { now: NOW })
  const alice = service.as('alice')
  const sut_id = await createSut(service.as('admin'))
  const shell = shellOn(t, join(service.data, 'views.db'))
  await execWhenFree(shell, FORBID.replace('WHEN new.position > 20', ''))
  const { json, text } = await reserved(alice, aReservation(sut_id))
  for (const path of ['/api/sut_reservation', '/api/sut', `/api/sut/${sut_id}/availability`]) {
    const refused = await alice.get(path)
    t.deepEqual(refusalOf(refused), [503, 'unavailable'], path)
    t.deepEqual(faultsOf(refused), [])
  }
  t.is((await alice.get(`/api/sut_reservation/${json._id}`)).text, text)
  await execWhenFree(shell, ALLOW)
  const isListed = async (): Promise<boolean> => (await alice.get('/api/sut_reservation')).status === 200
  await until('a list', isListed, 60_000)
  t.is(
    (await alice.get('/api/sut_reservation')).text,
    `{"limit":100,"offset":0,"count":1,"sut_reservations":[${text}]}`,
  )
})
