import test, { type ExecutionContext } from 'ava'
import { type Setting, start } from '../http/harness.ts'
import { aReservation, reserved } from '../http/requests.ts'
import { allEventsOf } from '../http/store/log-rows.ts'
import { jumpTo, keptAndReleased, pass, untilKeptOrReleased } from './kept.ts'
import { settle } from './recorded.ts'
import { at, stage } from './stage.ts'

/** A service at 05:50, and a reservation from 06:00 to 06:15 that is to be kept alive every minute. */
const keptStage = async (t: ExecutionContext, setting: Setting = {}) => {
  const staged = await stage(t, setting)
  const { service, sut_id, alice } = staged
  const made = await reserved(alice, aReservation(sut_id, { keepalive: 60 }))
  const path = `/api/sut_reservation/${made.json._id}`
  const keep = () => alice.request('POST', `${path}/keepalive`)
  return { ...staged, made, path, keep, recorded: () => keptAndReleased(() => allEventsOf(service)) }
}

const RELEASED = 'released by schedule 06:01:00.000 keepalive'

test('a reservation that nobody keeps alive is released at its deadline, once', async (t) => {
  const { service, sut_id, made, path, alice, recorded } = await keptStage(t)
  await jumpTo(service, at('06:00:00.000'))
  await pass([service], 59)
  t.deepEqual(await recorded(), [])
  await pass([service], 1)
  t.deepEqual(await untilKeptOrReleased([service], 1), [RELEASED])
  await pass([service], 10)
  t.deepEqual(await recorded(), [RELEASED])
  const { text } = await alice.get(path)
  const over = { ...made.json, updated_at: at('06:01:00.000'), end_time: '2030-05-02T06:01:00+00:00' }
  t.deepEqual(JSON.parse(text), over)
  const free = await alice.get(`/api/sut/${sut_id}/availability?from=${at('06:00:00')}&to=${at('06:30:00')}`)
  t.like(free.json, { free: [{ start_time: '2030-05-02T06:01:00+00:00' }] })
})

test('one that is kept alive lasts until nobody does, and looks the same until then', async (t) => {
  const { service, path, alice, keep, recorded } = await keptStage(t)
  const before = (await alice.get(path)).text
  await jumpTo(service, at('06:00:00.000'))
  await pass([service], 5)
  t.is((await keep()).headers['keepalive-until'], at('06:01:05.000'), 'the first is recorded at once')
  await pass([service], 15)
  t.is((await keep()).headers['keepalive-until'], at('06:01:05.000'), 'more than half is left')
  await pass([service], 20)
  t.is((await keep()).headers['keepalive-until'], at('06:01:40.000'))
  await pass([service], 59)
  const kept = ['06:00:05.000', '06:00:40.000'].map((time) => `kept by 590780914445534540190000 ${time}`)
  t.deepEqual(await recorded(), kept)
  t.is((await alice.get(path)).text, before)
  await pass([service], 1)
  const whole = [...kept, 'released by schedule 06:01:40.000 keepalive']
  t.deepEqual(await untilKeptOrReleased([service], 3), whole)
})

test('after a downtime nothing is released before the service has been ready for as long', async (t) => {
  const { service, path, keep } = await keptStage(t)
  await jumpTo(service, at('06:00:00.000'))
  await pass([service], 20)
  await service.stop()
  const again = await start(t, { data: service.data, now: at('06:05:00.000') })
  const log = () => keptAndReleased(() => allEventsOf(again))
  await settle([again])
  await pass([again], 59)
  t.deepEqual(await log(), [])
  await pass([again], 1)
  t.deepEqual(await untilKeptOrReleased([again], 1), ['released by schedule 06:06:00.000 keepalive'])
  await t.throwsAsync(keep(), undefined, 'the former one has stopped')
  const over = await again.as('alice').request('POST', `${path}/keepalive`)
  t.is(over.json.code, 'reservation_over')
})

test('what was kept alive before a restart is released at the deadline of the log', async (t) => {
  const { service, keep } = await keptStage(t)
  await jumpTo(service, at('06:00:00.000'))
  await pass([service], 50)
  t.is((await keep()).headers['keepalive-until'], at('06:01:50.000'))
  await service.stop()
  const again = await start(t, { data: service.data, now: at('06:00:50.000') })
  await settle([again])
  await pass([again], 59)
  const kept = 'kept by 590780914445534540190000 06:00:50.000'
  t.deepEqual(await keptAndReleased(() => allEventsOf(again)), [kept])
  await pass([again], 1)
  const released = 'released by schedule 06:01:50.000 keepalive'
  t.deepEqual(await untilKeptOrReleased([again], 2), [kept, released])
})
