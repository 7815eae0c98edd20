import test, { type ExecutionContext } from 'ava'
import type { Answer, Client, Headers } from '../../client.ts'
import { idOf, type Running, start } from '../../harness.ts'
import { startTwo } from '../../races/two-services.ts'
import { faultsOf, refusalOf } from '../../refusals/problems.ts'
import { aReservation, aSut, conflictOf, createSut, NOW, reserve, reserved } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'
import '../../documents/fit-answers.ts'

/** Shows behaviour/suts-and-reservations.md: retirement, and the release of the listen_port. */

const LATER = '2030-05-02T07:00:00.001Z'

const retire = (client: Client, id: string, headers: Headers = {}): Promise<Answer> =>
  client.request('POST', `/api/sut/${id}/retire`, headers)

const ends = (start: string, end: string) => ({
  start_time: `2030-05-02T${start}:00+00:00`,
  end_time: `2030-05-02T${end}:00+00:00`,
})

test('a SUT is retired with no body or {}, and the answer has a new updated_at and ETag', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const created = [await admin.post('/api/sut/create', aSut()), await admin.post('/api/sut/create', aSut())]
  service.clock.set(LATER)
  const [one, other] = created.map(({ headers }) => `${headers.location}/retire`) as [string, string]
  const retired = [await admin.request('POST', one), await admin.post(other, {})]
  for (const [i, answer] of retired.entries()) {
    t.is(answer.status, 200)
    t.deepEqual(answer.json, { ...created[i]?.json, updated_at: '2030-05-02T07:00:00.001+00:00' })
    t.is(answer.headers.etag, '"1"')
    t.is(answer.headers.location, undefined)
  }
})

test('any other body of a retirement is refused', async (t) => {
  const service = await start(t, { now: NOW })
  const path = `/api/sut/${await createSut(service.as('admin'))}/retire`
  t.deepEqual(refusalOf(await service.as('admin').post(path, { why: 'old' })), [422, 'field_unknown', '#/why'])
  t.deepEqual(refusalOf(await service.as('admin').post(path, [])), [422, 'invalid', '#'])
})

test('a SUT with current or future reservations cannot be retired, and conflicts lists them by start', async (t) => {
  const service = await start(t, { now: '2030-05-02T06:10:00Z' })
  const sut_id = await createSut(service.as('admin'))
  const alice = service.as('alice')
  const later = await reserved(alice, aReservation(sut_id, ends('08:00', '09:00')))
  const running = await reserved(alice, aReservation(sut_id, ends('06:00', '06:15')))
  const refused = await retire(service.as('admin'), sut_id)
  t.deepEqual(refusalOf(refused), [409, 'sut_reserved'])
  t.deepEqual(faultsOf(refused), [])
  t.deepEqual(refused.json.conflicts, [conflictOf(running, 'alice'), conflictOf(later, 'alice')])

  // Neither a past nor a cancelled reservation prevents retirement.
  service.clock.set('2030-05-02T06:15:00Z')
  t.deepEqual((await retire(service.as('admin'), sut_id)).json.conflicts, [conflictOf(later, 'alice')])
  await alice.request('POST', `/api/sut_reservation/${later.json._id}/cancel`)
  t.is((await retire(service.as('admin'), sut_id)).status, 200)
})

test('an inactive SUT can be retired, but not with reservations', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut_id = await createSut(admin)
  await reserved(service.as('alice'), aReservation(sut_id))
  await admin.post(`/api/sut/${sut_id}/update`, { is_active: false })
  t.is((await retire(admin, sut_id)).json.code, 'sut_reserved')
  service.clock.set('2030-05-02T06:15:00Z')
  t.is((await retire(admin, sut_id)).status, 200)
})

/** A retired SUT with a past reservation. */
const retiredOne = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const reservation = await reserved(service.as('alice'), aReservation(sut_id))
  service.clock.set(LATER)
  const retired = await retire(service.as('admin'), sut_id)
  return { service, sut_id, path: `/api/sut/${sut_id}`, reservation, retired }
}

test('a retired SUT is not listed, and every role can still read it by id', async (t) => {
  const { service, sut_id, path, retired } = await retiredOne(t)
  const other = await createSut(service.as('admin'))
  for (const name of ['admin', 'alice', 'audrey']) {
    const read = await service.as(name).get(path)
    t.deepEqual([read.status, read.text, read.headers.etag], [200, retired.text, '"2"'])
    const { count, suts } = (await service.as(name).get('/api/sut')).json as { count: number; suts: { _id: string }[] }
    t.deepEqual([count, suts.map(({ _id }) => _id)], [1, [other]])
    t.false(suts.some(({ _id }) => _id === sut_id))
  }
})

test('retired=true lists the retired SUTs alone, also filtered and as of the past', async (t) => {
  const { service, sut_id } = await retiredOne(t)
  const admin = service.as('admin')
  const other = await createSut(admin, { name: 'another' })
  const before = String((await admin.get('/api/sut')).headers['berth-position'])
  await retire(admin, other)
  const listed = async (query: string) => {
    const { count, suts } = (await admin.get(`/api/sut?retired=true${query}`)).json
    return [count, ...(suts as readonly { _id: string }[]).map(({ _id }) => _id)]
  }
  t.deepEqual(await listed(''), [2, other, sut_id])
  t.deepEqual(await listed('&name=ANOTHER'), [1, other])
  t.deepEqual(await listed('&limit=1&offset=1'), [2, sut_id])
  t.deepEqual(await listed(`&before=${other}`), [2, sut_id])
  t.deepEqual(await listed(`&as_of=${before}`), [1, sut_id])
  t.deepEqual(await listed('&as_of=0'), [0])
  t.deepEqual((await admin.get('/api/sut')).json.count, 0)
  t.deepEqual(refusalOf(await admin.get('/api/sut?retired=false')), [422, 'invalid', 'retired'])
})

test('updating, tagging and reserving a retired SUT are 410 sut_retired', async (t) => {
  const { service, sut_id, path } = await retiredOne(t)
  const admin = service.as('admin')
  const answers = [
    await admin.post(`${path}/update`, { name: 'other' }),
    await admin.post(`${path}/update`, {}),
    await admin.post(`${path}/tags`, { a: '1' }),
    await admin.post(`${path}/tags`, {}),
    await reserve(service.as('alice'), aReservation(sut_id, ends('08:00', '09:00'))),
    await reserve(admin, { user_id: idOf('alice'), sut_id, start_in: 0, duration: 60 }),
  ]
  for (const answer of answers) {
    t.deepEqual(refusalOf(answer), [410, 'sut_retired'])
    t.deepEqual(faultsOf(answer), [])
  }
})

test('reservations of a retired SUT can still be read and are still over', async (t) => {
  const { service, reservation } = await retiredOne(t)
  const path = String(reservation.headers.location)
  t.is((await service.as('alice').get(path)).text, reservation.text)
  t.is((await service.as('alice').request('POST', `${path}/cancel`)).json.code, 'reservation_over')
})

test('a second retirement is 200 with the SUT and records nothing', async (t) => {
  const { service, sut_id, retired } = await retiredOne(t)
  const recorded = await logOf(service)
  service.clock.set('2030-05-03T07:00:00Z')
  const headers: readonly Headers[] = [{}, { 'If-Match': '"0"' }, { 'Idempotency-Key': 'k' }]
  for (const header of headers) {
    const again = await retire(service.as('admin'), sut_id, header)
    t.deepEqual([again.status, again.text, again.headers.etag], [200, retired.text, '"2"'])
  }
  t.deepEqual(await logOf(service), recorded)
})

test('thorough: two simultaneous retirements on two instances are both 200, and recorded once with one port release', async (t) => {
  for (let round = 0; round < 5; round++) {
    const { services, data } = await startTwo(t)
    const [one, other] = services as readonly [Running, Running]
    const id = await createSut(one.as('admin'))
    await other.as('admin').get(`/api/sut/${id}`)
    const answers = await Promise.all([retire(one.as('admin'), id), retire(other.as('admin'), id)])
    t.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    t.is(answers[0]?.text, answers[1]?.text)
    const recorded = (await logOf({ data })).map(({ type }) => type)
    t.deepEqual(recorded.slice(2), ['SutRetired', 'ListenPortReleased'])
  }
})

const portOf = async (service: Running, sut_id: string): Promise<unknown> =>
  (await reserved(service.as('alice'), aReservation(sut_id, ends('10:00', '10:15')))).json.listen_port

test('a retired SUT releases its port, and never used ports come first, then the one free for longest', async (t) => {
  const service = await start(t, { now: NOW, environment: { BERTH_LISTEN_PORTS: '4000-4003' } })
  const admin = service.as('admin')
  const [a, b, c] = [await createSut(admin), await createSut(admin), await createSut(admin)]
  await retire(admin, b)
  await retire(admin, a)
  const ports = []
  for (let n = 0; n < 3; n++) ports.push(await portOf(service, await createSut(admin)))
  t.deepEqual(ports, [4003, 4001, 4000])
  t.deepEqual(refusalOf(await admin.post('/api/sut/create', aSut())), [503, 'listen_ports_exhausted'])
  await retire(admin, c)
  t.is(await portOf(service, await createSut(admin)), 4002)
})

test('the order of free ports is the same after a restart', async (t) => {
  const environment = { BERTH_LISTEN_PORTS: '4000-4002' }
  const service = await start(t, { now: NOW, environment })
  const suts = []
  for (let n = 0; n < 3; n++) suts.push(await createSut(service.as('admin')))
  for (const n of [2, 0, 1]) await retire(service.as('admin'), suts[n] ?? '')
  await service.stop()
  const again = await start(t, { now: NOW, data: service.data, environment })
  const ports = []
  for (let n = 0; n < 3; n++) ports.push(await portOf(again, await createSut(again.as('admin'))))
  t.deepEqual(ports, [4002, 4000, 4001])
})
