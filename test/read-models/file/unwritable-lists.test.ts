import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { start } from '../../http/harness.ts'
import { faultsOf, refusalOf } from '../../http/refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { shellOn } from '../setting.ts'

/** Makes the write of one row fail, in the middle of others. */
const FORBID = `CREATE TRIGGER forbidden BEFORE INSERT ON reservation
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

test('a list is 503 unavailable while its rows cannot be written, and reads by id still work', async (t) => {
  const service = await start(t, { now: NOW })
  const alice = service.as('alice')
  const sut_id = await createSut(service.as('admin'))
  const shell = shellOn(t, join(service.data, 'views.db'))
  await execWhenFree(shell, FORBID)
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
