import test, { type ExecutionContext } from 'ava'
import { idOf } from '../../http/harness.ts'
import { reserved } from '../../http/requests.ts'
import { allEventsOf } from '../../http/store/log-rows.ts'
import { keptAndReleased, pass, untilKeptOrReleased } from '../../processes/kept.ts'
import { connected, given, hangUp } from './stage.ts'

/** A reservation of Alice's from 06:02:10 on that must be kept alive every 30 s. */
const keptStage = async (t: ExecutionContext) => {
  const stage = await given(t)
  const { service, reservation, sut_id } = stage
  const alice = service.as('alice')
  t.is((await alice.request('POST', `/api/sut_reservation/${reservation}/cancel`)).status, 200)
  service.clock.set('2030-05-02T06:02:10.000Z')
  const body = { user_id: idOf('alice'), sut_id, start_in: 0, duration: 3_600, keepalive: 30 }
  const log = () => keptAndReleased(() => allEventsOf(service))
  return { ...stage, alice, made: await reserved(alice, body), log }
}

test('a connection keeps a reservation alive, and 30 s after its end it is released', async (t) => {
  const stage = await keptStage(t)
  const { service, alice, made, log } = stage
  t.is(made.headers['keepalive-until'], '2030-05-02T06:02:40.000Z')
  const client = await connected(stage)
  await pass([service], 45)
  const kept = ['06:02:30.000', '06:02:50.000'].map((time) => `kept by gateway ${time}`)
  t.deepEqual((await log()).slice(1), kept)
  await hangUp(service, client)
  await pass([service], 24)
  t.is((await log()).length, 3)
  await pass([service], 1)
  t.deepEqual((await untilKeptOrReleased([service], 4)).slice(1), [
    ...kept,
    'released by schedule 06:03:20.000 keepalive',
  ])
  const { json } = await alice.request('POST', `/api/sut_reservation/${made.json._id}/keepalive`)
  t.like(json, { code: 'reservation_over', cause: 'keepalive', by: null })
  t.is(json.detail, 'The reservation has been released because nobody kept it alive.')
})
