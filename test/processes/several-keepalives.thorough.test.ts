import test, { type ExecutionContext } from 'ava'
import { startInstances } from '../event-store/eventstoredb/service/instances.ts'
import type { Running } from '../http/harness.ts'
import { aReservation, createSut, reserved } from '../http/requests.ts'
import { keptAndReleased, pass, untilKeptOrReleased } from './kept.ts'
import { settle } from './recorded.ts'
import { at } from './stage.ts'

const SUTS = 6
const KEPT = 'kept by 590780914445534540190000 06:00:20.000'

/** Two instances over one store, and reservations that are kept alive once, through either. */
const runThrough = async (t: ExecutionContext) => {
  const { services, log } = await startInstances(t, { count: 2, now: at('05:50:00.000') })
  const pick = (n: number): Running => services[n % services.length] as Running
  const ids: string[] = []
  for (let n = 0; n < SUTS; n++) {
    const sut = await createSut(pick(n).as('admin'), { name: `bench ${n}` })
    const made = await reserved(pick(n + 1).as('alice'), aReservation(sut, { keepalive: 30 }))
    ids.push(String(made.json._id))
  }
  for (const { clock } of services) clock.set(at('06:00:00.000'))
  await settle(services)
  await pass(services, 20)
  for (const [n, id] of ids.entries()) {
    t.is((await pick(n).as('alice').request('POST', `/api/sut_reservation/${id}/keepalive`)).status, 200)
  }
  await pass(services, 29)
  t.deepEqual(await keptAndReleased(log), Array(SUTS).fill(KEPT))
  for (const { clock } of services) clock.set(at('06:00:50.000'))
  return untilKeptOrReleased(services, 2 * SUTS, log)
}

test('of two instances, one releases each reservation that nobody keeps alive', async (t) => {
  const released = 'released by schedule 06:00:50.000 keepalive'
  t.deepEqual(await runThrough(t), [...Array(SUTS).fill(KEPT), ...Array(SUTS).fill(released)])
})
