import test, { type ExecutionContext } from 'ava'
import { type Setting, start } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserve, reserved } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'
import '../documents/fit-answers.ts'

const UNTIL = 'keepalive-until'

/** A reservation of Alice's from 06:00 to 06:15, to be kept alive every two minutes. */
const given = async (t: ExecutionContext, setting: Setting = {}) => {
  const service = await start(t, { now: NOW, ...setting })
  const [alice, sut] = [service.as('alice'), await createSut(service.as('admin'))]
  const made = await reserved(alice, aReservation(sut, { keepalive: 120 }))
  const path = `/api/sut_reservation/${made.json._id}`
  const keep = (who = 'alice', headers = {}) => service.as(who).request('POST', `${path}/keepalive`, headers)
  const kept = async () => (await logOf(service)).filter(({ type }) => type === 'ReservationKept').length
  return { service, alice, sut, made, path, keep, kept }
}

test('creation, reads and keeping say until when a reservation is kept alive', async (t) => {
  const { service, alice, made, path, keep } = await given(t)
  t.deepEqual(Object.keys(made.json), [
    ...['_id', 'created_at', 'updated_at', 'start_time', 'end_time', 'user_id', 'sut_id', 'listen_port'],
  ])
  const until = async (): Promise<unknown> => (await alice.get(path)).headers[UNTIL]
  t.is(made.headers[UNTIL], '2030-05-02T06:02:00.000Z')
  t.is(await until(), '2030-05-02T06:02:00.000Z')
  t.is((await alice.get(`${path}?include=state`)).headers[UNTIL], '2030-05-02T06:02:00.000Z')
  service.clock.set('2030-05-02T06:01:30.250Z')
  const answer = await keep()
  t.deepEqual([answer.status, answer.text, answer.headers[UNTIL]], [200, made.text, '2030-05-02T06:03:30.250Z'])
  t.is(await until(), '2030-05-02T06:03:30.250Z')
  service.clock.set('2030-05-02T06:15:00Z')
  t.is(await until(), undefined, 'it is over')
})

test('of a reservation that begins at once, the time counts from its creation', async (t) => {
  const { service, alice, path } = await given(t)
  t.is((await alice.request('POST', `${path}/cancel`)).status, 200)
  service.clock.set('2030-05-02T06:02:30.500Z')
  const { user_id } = aReservation('')
  const sut_id = await createSut(service.as('admin'))
  const made = await reserve(alice, { user_id, sut_id, start_in: 0, duration: 900, keepalive: 30 })
  t.is(made.headers[UNTIL], '2030-05-02T06:03:00.500Z')
})

test('the first sign of life is recorded at once, and nothing before the start, nor while half of the time is left', async (t) => {
  const { service, keep, kept } = await given(t)
  for (const [time, count] of [
    ['05:59:59.999', 0],
    ['06:00:00.000', 1],
    ['06:01:00.000', 1],
    ['06:01:00.001', 2],
    ['06:02:00.001', 2],
    ['06:02:00.002', 3],
  ] as const) {
    service.clock.set(`2030-05-02T${time}Z`)
    t.is((await keep()).status, 200, time)
    t.is(await kept(), count, time)
  }
})

test('an Idempotency-Key is ignored, so that a repetition keeps the reservation alive again', async (t) => {
  const { service, keep, kept } = await given(t)
  const key = { 'Idempotency-Key': 'again' }
  for (const time of ['06:01:30', '06:03:00']) {
    service.clock.set(`2030-05-02T${time}Z`)
    t.is((await keep('alice', key)).status, 200)
  }
  t.is(await kept(), 2)
  t.is((await keep('alice', { 'Idempotency-Key': 'not a\tkey' })).status, 200)
})

test('a repeated creation has the first Keepalive-Until, whatever was kept alive since', async (t) => {
  const { service, alice, keep } = await given(t)
  const sut = await createSut(service.as('admin'))
  const key = { 'Idempotency-Key': 'create' }
  const body = aReservation(sut, { keepalive: 60 })
  const first = await reserve(alice, body, key)
  service.clock.set('2030-05-02T06:01:30Z')
  await keep()
  const again = await reserve(alice, body, key)
  t.deepEqual([again.status, again.text, again.headers[UNTIL]], [201, first.text, '2030-05-02T06:01:00.000Z'])
})

test('only the holder and administrators keep a reservation alive, while it is not over or cancelled', async (t) => {
  const { service, alice, sut, path, keep } = await given(t)
  t.is((await keep('admin')).status, 200)
  t.deepEqual(refusalOf(await keep('bob')), [403, 'not_your_reservation'])
  t.deepEqual(refusalOf(await keep('audrey')), [403, 'forbidden'])
  const later = aReservation(sut, { start_time: '2030-05-02T07:00:00Z', end_time: '2030-05-02T08:00:00Z' })
  const other = `/api/sut_reservation/${(await reserved(alice, later)).json._id}`
  const keepOther = () => alice.request('POST', `${other}/keepalive`)
  const unkept = await alice.get(other)
  t.is(unkept.headers[UNTIL], undefined)
  t.deepEqual(refusalOf(await keepOther()), [409, 'not_kept_alive'])
  await alice.request('POST', `${other}/cancel`)
  t.deepEqual(refusalOf(await keepOther()), [410, 'reservation_cancelled'])
  service.clock.set('2030-05-02T06:00:30Z')
  t.is((await alice.request('POST', `${path}/cancel`)).status, 200)
  t.deepEqual(refusalOf(await keep()), [409, 'reservation_over'])
  t.is((await alice.get(path)).headers[UNTIL], undefined)
  const unknown = await alice.request('POST', '/api/sut_reservation/58c38f5d444553252cce0000/keepalive')
  t.deepEqual(refusalOf(unknown), [404, 'reservation_not_found'])
})

test('keepalive is 30 to 86,400 whole seconds', async (t) => {
  const { service, alice } = await given(t)
  for (const [keepalive, status] of [
    [29, 422],
    [30, 201],
    [86_400, 201],
    [86_401, 422],
    [60.5, 422],
    [null, 422],
    ['60', 422],
  ] as const) {
    const sut = await createSut(service.as('admin'))
    const answer = await reserve(alice, aReservation(sut, { keepalive }))
    t.is(answer.status, status, String(keepalive))
    if (status === 422)
      t.deepEqual(
        (answer.json.errors as { pointer: string }[]).map(({ pointer }) => pointer),
        ['#/keepalive'],
      )
  }
})

test('ReservationKept is in the history of the reservation and of its SUT, and moves neither', async (t) => {
  const { service, sut, path, keep } = await given(t)
  const admin = service.as('admin')
  const before = [await admin.get(path), await admin.get(`/api/sut/${sut}`), await admin.get('/api/sut_reservation')]
  service.clock.set('2030-05-02T06:01:30Z')
  await keep()
  const after = [await admin.get(path), await admin.get(`/api/sut/${sut}`), await admin.get('/api/sut_reservation')]
  t.deepEqual(
    after.map(({ text, headers }) => [text, headers.etag]),
    before.map(({ text, headers }) => [text, headers.etag]),
  )
  for (const [history, first] of [
    [`${path}/history`, 'berth.ReservationCreated'],
    [`/api/sut/${sut}/history`, 'berth.ListenPortAssigned'],
  ] as const) {
    const { count, events } = (await admin.get(history)).json as {
      count: number
      events: { type: string; data: object }[]
    }
    t.is(count, events.length)
    t.deepEqual([events[0]?.type, events.at(-1)?.type], [first, 'berth.ReservationKept'])
  }
})
