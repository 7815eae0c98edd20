import test, { type ExecutionContext } from 'ava'
import type { Client } from '../client.ts'
import { type Running, start } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'

type Free = readonly { readonly start_time: string; readonly end_time: string }[]

const freeOf = async (client: Client, sut: string, query: string): Promise<Free> => {
  const answer = await client.get(`/api/sut/${sut}/availability${query}`)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  return answer.json.free as Free
}

/** Free windows on the day of the tests, in UTC. */
const times = (free: Free): readonly string[] =>
  free.map(({ start_time, end_time }) => `${start_time.slice(11, 16)}-${end_time.slice(11, 16)}`)

const during = (from: string, to: string) => ({
  start_time: `2030-05-02T${from}:00Z`,
  end_time: `2030-05-02T${to}:00Z`,
})

interface Stage {
  readonly service: Running
  readonly alice: Client
  readonly sut: string
}

const stage = async (t: ExecutionContext, environment: Readonly<Record<string, string>> = {}): Promise<Stage> => {
  const service = await start(t, { now: NOW, environment })
  return { service, alice: service.as('alice'), sut: await createSut(service.as('admin')) }
}

const MORNING = '?from=2030-05-02T05:50:00Z&to=2030-05-02T08:00:00Z'

test('free windows between reservations are listed from the current quarter-hour on', async (t) => {
  const { alice, sut } = await stage(t)
  t.deepEqual((await alice.get(`/api/sut/${sut}/availability${MORNING}`)).json, {
    free: [{ start_time: '2030-05-02T05:45:00+00:00', end_time: '2030-05-02T08:00:00+00:00' }],
    next: null,
  })
  await reserved(alice, aReservation(sut, during('06:00', '06:30')))
  await reserved(alice, aReservation(sut, during('06:45', '07:15')))
  t.deepEqual(times(await freeOf(alice, sut, MORNING)), ['05:45-06:00', '06:30-06:45', '07:15-08:00'])
  t.deepEqual(times(await freeOf(alice, sut, `${MORNING}&duration=901`)), ['07:15-08:00'])
  t.deepEqual(times(await freeOf(alice, sut, `${MORNING}&duration=2701`)), [])
  const all = await freeOf(alice, sut, '?from=2029-01-01T00:00:00Z&to=2030-05-02T06:31:00Z&duration=1')
  t.deepEqual(times(all), ['05:45-06:00', '06:30-06:45'])
})

test('free windows are returned in the requested UTC offset', async (t) => {
  const { alice, sut } = await stage(t)
  const query = '?from=2030-05-02T08:00:00%2B02:00&to=2030-05-02T06:30:00-01:00'
  t.deepEqual(await freeOf(alice, sut, query), [
    { start_time: '2030-05-02T08:00:00+02:00', end_time: '2030-05-02T09:30:00+02:00' },
  ])
  t.deepEqual(await freeOf(alice, sut, '?to=2030-05-02T06:30:00-00:30'), [
    { start_time: '2030-05-02T05:15:00-00:30', end_time: '2030-05-02T06:30:00-00:30' },
  ])
})

test('no window is free when nothing can be reserved', async (t) => {
  const { service, alice, sut } = await stage(t, { BERTH_HORIZON: 'PT2H', BERTH_WINDOW_MAX: 'PT1H' })
  // A reservation may start until 07:58:11, which is in the quarter-hour that begins at 07:45.
  t.deepEqual(times(await freeOf(alice, sut, '')), ['05:45-08:00'])
  t.deepEqual(await freeOf(alice, sut, '?from=2030-05-02T09:00:00Z'), [])
  t.deepEqual(await freeOf(alice, sut, '?from=9999-12-31T23:59:59-14:00'), [])
  t.deepEqual(await freeOf(alice, sut, '?to=2030-05-02T05:30:00Z'), [])
  const admin = service.as('admin')
  await admin.post(`/api/sut/${sut}/update`, { is_active: false })
  t.deepEqual(await freeOf(alice, sut, ''), [])
  await admin.post(`/api/sut/${sut}/retire`, {})
  t.deepEqual(refusalOf(await alice.get(`/api/sut/${sut}/availability`)), [410, 'sut_retired'])
  for (const id of ['none', '0'.repeat(24)]) {
    t.deepEqual(refusalOf(await alice.get(`/api/sut/${id}/availability`)), [404, 'sut_not_found'])
  }
})
