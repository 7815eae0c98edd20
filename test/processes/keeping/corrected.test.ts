import test from 'ava'
import { type } from '../../command-line/terminal.ts'
import { sharedEnvironment } from '../../event-store/shared-store.ts'
import { start } from '../../http/harness.ts'
import { aReservation, reserved } from '../../http/requests.ts'
import { allEventsOf } from '../../http/store/log-rows.ts'
import { settle } from '../recorded.ts'
import { at, stage } from '../stage.ts'
import { keptAndReleased, pass, untilKeptOrReleased } from './stage.ts'

test('after a correction of the clock, keepalive counts anew for what it restored and what it had kept', async (t) => {
  const { service, sut_id, alice } = await stage(t)
  const { data } = service
  const ended = await reserved(alice, aReservation(sut_id, { keepalive: 60 }))
  const window = { start_time: at('12:00:00'), end_time: at('14:00:00') }
  await reserved(alice, aReservation(sut_id, { ...window, keepalive: 60 }))
  await service.stop()
  const from = (await allEventsOf({ data })).length
  const wrong = await start(t, { data, now: at('12:00:30.000') })
  await settle([wrong])
  const ids = (await allEventsOf({ data }))
    .filter(({ type }) => type === 'ReservationCreated')
    .map((event) => event.data._id)
  const keep = await wrong.as('alice').request('POST', `/api/sut_reservation/${ids[1]}/keepalive`)
  t.is(keep.headers['keepalive-until'], at('12:01:30.000'))
  await wrong.stop()
  const to = (await allEventsOf({ data })).length - 1
  const right = await start(t, { data, now: at('06:00:05.000') })
  await settle([right])
  const span = ['--from', String(from).padStart(20, '0'), '--to', String(to).padStart(20, '0')]
  const now = (): number => Date.parse(at('06:00:05.000'))
  const line = ['clock', 'correct', ...span, '--why', 'the clock was ahead']
  const { code, out, error } = await type(line, { BERTH_DATA: data, ...sharedEnvironment(data) }, { now })
  t.deepEqual([code, out], [0, 'corrected 1 streams; restored 2 reservations\n'], error)
  const until = async (id: unknown): Promise<unknown> =>
    (await right.as('alice').get(`/api/sut_reservation/${id}`)).headers['keepalive-until']
  t.is(await until(ended.json._id), at('06:01:05.000'), 'it was restored')
  t.is(await until(ids[1]), at('12:01:00.000'), 'its time begins with its start')
  await pass([right], 59)
  const kept = 'kept by 590780914445534540190000 12:00:30.000'
  t.deepEqual(await keptAndReleased(() => allEventsOf({ data })), [kept])
  await pass([right], 1)
  const released = 'released by schedule 06:01:05.000 keepalive'
  t.deepEqual(await untilKeptOrReleased([right], 2), [kept, released])
  await right.stop()
  const verified = await type(['verify'], { BERTH_DATA: data, ...sharedEnvironment(data) })
  t.is(verified.code, 0, verified.out)
})
