/** Reservations of a SUT that are released after five minutes in which nobody has connected. */

import test, { type ExecutionContext } from 'ava'
import { idOf, start } from '../../http/harness.ts'
import { reserved } from '../../http/requests.ts'
import { allEventsOf } from '../../http/store/log-rows.ts'
import { until } from '../../http/until.ts'
import { keptAndReleased, pass, passIdle, untilKeptOrReleased } from '../../processes/kept.ts'
import { settle } from '../../processes/recorded.ts'
import { becomes, connected, given, hangUp, isClosed, SOON } from './stage.ts'

const AT = (time: string): string => `2030-05-02T${time}Z`

/** A running reservation from 06:02:10 on whose port is open. */
const unusedStage = async (t: ExecutionContext) => {
  const stage = await given(t)
  const { service, sut_id } = stage
  // Before, nobody could have connected, and the time counts from then on.
  await until('it is ready', async () => (await service.anyone.get('/health/ready')).status === 200, SOON)
  const [alice, admin] = [service.as('alice'), service.as('admin')]
  t.is((await alice.request('POST', `/api/sut_reservation/${stage.reservation}/cancel`)).status, 200)
  t.is((await admin.post(`/api/sut/${sut_id}/update`, { release_unused_after: 300 })).status, 200)
  service.clock.set(AT('06:02:10.000'))
  const reservation = String(
    (await reserved(alice, { user_id: idOf('alice'), sut_id, start_in: 0, duration: 3_600 })).json._id,
  )
  const connection = async () => (await alice.get(`/api/sut_reservation/${reservation}/connection`)).json
  const isOpen = async (): Promise<boolean> => {
    service.tick()
    return (await connection()).open === true
  }
  await until('the port is open', isOpen, SOON)
  const recorded = async () => (await keptAndReleased(() => allEventsOf(service))).slice(1)
  const untilReleased = async () => (await untilKeptOrReleased([service], 2)).slice(1)
  return { ...stage, alice, admin, reservation, connection, recorded, untilReleased }
}

const RELEASED = ['released by schedule 06:07:10.000 unused']

test('a reservation that nobody connects to is released, and its holder is warned before', async (t) => {
  const { service, alice, reservation, connection, recorded, untilReleased } = await unusedStage(t)
  t.is((await connection()).released_unused_at, AT('06:07:10.000'))
  await passIdle([service], 299)
  t.deepEqual(await recorded(), [])
  await pass([service], 1)
  t.deepEqual(await untilReleased(), RELEASED)
  t.is((await connection()).released_unused_at, null)
  const { json } = await alice.post(`/api/sut_reservation/${reservation}/extend`, { by: 900 })
  t.like(json, { code: 'reservation_over', cause: 'unused', by: null })
  t.is(json.detail, 'The reservation has been released because nobody connected to the machine.')
})

test('thorough: one that somebody has connected to is not, even if nobody does any more', async (t) => {
  const stage = await unusedStage(t)
  const { service, connection, recorded } = stage
  const client = await connected(stage)
  t.is((await connection()).released_unused_at, null)
  await hangUp(service, client)
  await pass([service], 70)
  await becomes(service, 'the session is closed', isClosed)
  t.is((await connection()).released_unused_at, null)
  await passIdle([service], 300)
  t.deepEqual(await recorded(), [])
})

test('a changed release_unused_after counts at once', async (t) => {
  const { service, admin, sut_id, connection, recorded } = await unusedStage(t)
  await admin.post(`/api/sut/${sut_id}/update`, { release_unused_after: 0 })
  t.is((await connection()).released_unused_at, null)
  await passIdle([service], 310)
  t.deepEqual(await recorded(), [])
  await admin.post(`/api/sut/${sut_id}/update`, { release_unused_after: 600 })
  t.is((await connection()).released_unused_at, AT('06:12:10.000'))
  await passIdle([service], 290)
  t.deepEqual((await untilKeptOrReleased([service], 2)).slice(1), ['released by schedule 06:12:10.000 unused'])
})

test('thorough: after a restart the time counts anew', async (t) => {
  const { service, environment, recorded } = await unusedStage(t)
  await passIdle([service], 200)
  await service.stop()
  const again = await start(t, { data: service.data, now: AT('06:06:00.000'), environment })
  const log = async () => (await keptAndReleased(() => allEventsOf(again))).slice(1)
  await until(
    'the port is open',
    async () => {
      again.tick()
      return (await again.anyone.get('/health/ready')).status === 200
    },
    SOON,
  )
  await settle([again])
  await passIdle([again], 295)
  t.deepEqual(await log(), [])
  await pass([again], 5)
  t.deepEqual((await untilKeptOrReleased([again], 2)).slice(1), ['released by schedule 06:11:00.000 unused'])
  t.deepEqual(await recorded(), await log())
})

test('a service that forwards nothing releases nothing', async (t) => {
  const { service, environment } = await unusedStage(t)
  await service.stop()
  const off = { ...environment, BERTH_GATEWAY: 'off' }
  const again = await start(t, { data: service.data, now: AT('06:03:00.000'), environment: off })
  await passIdle([again], 400)
  t.is((await keptAndReleased(() => allEventsOf(again))).length, 1)
})
