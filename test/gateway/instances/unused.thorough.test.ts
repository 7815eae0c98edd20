/** Reservations that nobody uses, of a SUT that two instances forward. */

import test from 'ava'
import { until } from '../../http/until.ts'
import { keptAndReleased, pass, passIdle, untilKeptOrReleased } from '../../processes/kept.ts'
import { connected, reserveIt, type Service, SOON } from '../sessions/stage.ts'
import { twoInstances } from './stage.ts'

const unusedAt = async (service: Service, id: string): Promise<unknown> =>
  (await service.as('alice').get(`/api/sut_reservation/${id}/connection`)).json.released_unused_at

test('with two instances an unused reservation is released a minute later, once', async (t) => {
  const { services, log, sut_id } = await twoInstances(t)
  const [one, other] = services
  await one.as('admin').post(`/api/sut/${sut_id}/update`, { release_unused_after: 300 })
  const id = await reserveIt(one, sut_id)
  const isOpen = async (service: Service): Promise<boolean> =>
    (await service.as('alice').get(`/api/sut_reservation/${id}/connection`)).json.open === true
  await until('both ports are open', async () => (await isOpen(one)) && (await isOpen(other)), SOON)
  t.is(await unusedAt(one, id), '2030-05-02T06:08:00.000Z')
  await passIdle(services, 355)
  t.deepEqual(await keptAndReleased(log), [])
  await pass(services, 5)
  t.deepEqual(await untilKeptOrReleased(services, 1, log), ['released by schedule 06:08:00.000 unused'])
})

test('a connection through one instance keeps the other from releasing', async (t) => {
  const { services, hosts, port, log, sut_id } = await twoInstances(t)
  const [one, other] = services
  await one.as('admin').post(`/api/sut/${sut_id}/update`, { release_unused_after: 300 })
  const id = await reserveIt(one, sut_id)
  await connected({ service: other, port, host: hosts[1] })
  await until('the session is seen', async () => (await unusedAt(one, id)) === null, SOON)
  await passIdle(services, 370)
  t.deepEqual(await keptAndReleased(log), [])
})
