import test from 'ava'
import { idOf, start } from '../harness.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../requests.ts'

test("the answer to a reservation has all the API's fields in order", async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const answer = await reserve(service.as('alice'), aReservation(sut_id))
  const _id = String(answer.json._id)
  t.regex(_id, /^717bb1f3[0-9a-f]{16}$/)
  t.is(answer.status, 201)
  t.is(
    answer.text,
    JSON.stringify({
      _id,
      created_at: NOW,
      updated_at: NOW,
      start_time: '2030-05-02T06:00:00+00:00',
      end_time: '2030-05-02T06:15:00+00:00',
      user_id: idOf('alice'),
      sut_id,
      listen_port: 20000,
    }),
  )
  t.is(answer.headers['content-type'], 'application/json')
  t.is(answer.headers.location, `/api/sut_reservation/${_id}`)
  t.is(answer.headers.etag, undefined)
})

test('the Location of a creation leads to the created object', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await admin.post('/api/sut/create', { name: 'a', address: 'a', port: 1, sut_type: 'tcp' })
  const reservation = await reserve(service.as('alice'), aReservation(String(sut.json._id)))
  for (const created of [sut, reservation]) {
    const read = await admin.get(String(created.headers.location))
    t.is(read.status, 200)
    t.is(read.text, created.text)
    t.is(read.headers.etag, created.headers.etag)
    t.is(read.headers.location, undefined)
  }
})

const FORM_A: readonly (readonly [requested: readonly [string, string], answered: readonly [string, string]])[] = [
  [
    ['2030-05-02T06:00:00Z', '2030-05-02t06:15:00z'],
    ['2030-05-02T06:00:00+00:00', '2030-05-02T06:15:00+00:00'],
  ],
  [
    ['2030-05-02T06:07:30-00:00', '2030-05-02T06:15:00.000000001+00:00'],
    ['2030-05-02T06:00:00+00:00', '2030-05-02T06:30:00+00:00'],
  ],
  [
    ['2030-05-02T08:15:00+02:00', '2030-05-02T02:29:59-04:00'],
    ['2030-05-02T08:15:00+02:00', '2030-05-02T02:30:00-04:00'],
  ],
  [
    ['2030-05-02T11:47:00+05:45', '2030-05-02T20:16:00+14:00'],
    ['2030-05-02T11:45:00+05:45', '2030-05-02T20:30:00+14:00'],
  ],
  [
    // An offset that is not a multiple of 15 minutes: the grid is that of UTC.
    ['2030-05-02T06:10:00+00:07', '2030-05-02T06:20:00+00:07'],
    ['2030-05-02T06:07:00+00:07', '2030-05-02T06:22:00+00:07'],
  ],
]

for (const [requested, answered] of FORM_A) {
  test(`${requested.join(' to ')} is reserved on the grid in the requested offsets`, async (t) => {
    const service = await start(t, { now: NOW })
    const sut_id = await createSut(service.as('admin'))
    const body = aReservation(sut_id, { start_time: requested[0], end_time: requested[1] })
    const { json } = await reserved(service.as('alice'), body)
    t.deepEqual([json.start_time, json.end_time], answered)
  })
}

const FORM_B: readonly (readonly [now: string, start_in: number, duration: number, window: string])[] = [
  ['2030-05-02T06:02:51.400Z', 0, 600, '06:00-06:15'],
  ['2030-05-02T05:52:17.861Z', 0, 462, '05:45-06:00'],
  ['2030-05-02T05:52:17.861Z', 0, 600, '05:45-06:15'],
  ['2030-05-02T05:58:00.000Z', 3600, 900, '06:45-07:15'],
]

for (const [now, start_in, duration, window] of FORM_B) {
  test(`${duration} s in ${start_in} s from ${now} are reserved as ${window} UTC`, async (t) => {
    const service = await start(t, { now })
    const user_id = idOf('alice')
    const sut_id = await createSut(service.as('admin'))
    const { json } = await reserved(service.as('alice'), { user_id, sut_id, start_in, duration })
    const ends = window.split('-').map((time) => `2030-05-02T${time}:00+00:00`)
    t.deepEqual([json.start_time, json.end_time], ends)
  })
}

test('the current quarter-hour can be reserved, and the previous one cannot', async (t) => {
  const service = await start(t, { now: '2030-05-02T06:14:59.999Z' })
  const sut_id = await createSut(service.as('admin'))
  const past = { start_time: '2030-05-02T05:59:59.999999999Z', end_time: '2030-05-02T06:30:00Z' }
  t.is((await reserve(service.as('alice'), aReservation(sut_id, past))).json.code, 'window_in_the_past')
  await reserved(service.as('alice'), aReservation(sut_id))
})

test('a reservation has the listen_port of its SUT, and each SUT has its own', async (t) => {
  const service = await start(t, { now: NOW, environment: { BERTH_LISTEN_PORTS: '4000-4001' } })
  const admin = service.as('admin')
  const ports: unknown[] = []
  for (const sut_id of [await createSut(admin), await createSut(admin)]) {
    for (const hour of ['07', '08']) {
      const body = aReservation(sut_id, {
        start_time: `2030-05-02T${hour}:00:00Z`,
        end_time: `2030-05-02T${hour}:15:00Z`,
      })
      ports.push((await reserved(service.as('alice'), body)).json.listen_port)
    }
  }
  t.deepEqual(ports, [4000, 4000, 4001, 4001])
})

test('an administrator can reserve for any user_id', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const { json } = await reserved(service.as('admin'), aReservation(sut_id, { user_id: idOf('bob') }))
  t.is(json.user_id, idOf('bob'))
})

test('a reservation without a user_id is for the user who asks', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  for (const [n, name] of ['admin', 'alice'].entries()) {
    const window = { start_time: `2030-05-02T0${6 + n}:00:00Z`, end_time: `2030-05-02T0${6 + n}:15:00Z` }
    const { json } = await reserved(service.as(name), { sut_id, ...window })
    t.is(json.user_id, idOf(name))
  }
})

test('a clock set back an hour causes no double booking and no earlier time', async (t) => {
  const service = await start(t, { now: '2030-05-02T06:14:00Z' })
  const sut_id = await createSut(service.as('admin'))
  await reserved(service.as('alice'), aReservation(sut_id))
  service.clock.set('2030-05-02T05:14:00Z')
  const behind = await reserve(service.as('bob'), aReservation(sut_id, { user_id: idOf('bob') }))
  t.deepEqual([behind.status, behind.json.code], [503, 'clock_behind'])
  // Up to a minute back counts as the same moment.
  service.clock.set('2030-05-02T06:13:30Z')
  const again = await reserve(service.as('bob'), aReservation(sut_id, { user_id: idOf('bob') }))
  t.is(again.json.code, 'reservation_conflict')
  const later = { start_time: '2030-05-02T06:15:00Z', end_time: '2030-05-02T06:30:00Z' }
  const next = await reserved(service.as('alice'), aReservation(sut_id, later))
  t.is(next.json.created_at, '2030-05-02T06:14:00.000Z')
})
