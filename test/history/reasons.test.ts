import test from 'ava'
import { type Running, start } from '../http/harness.ts'
import { faultsOf, refusalOf } from '../http/refusals/problems.ts'
import { aReservation, aSut, NOW } from '../http/requests.ts'
import { eventsOf } from '../http/store/log-rows.ts'

const metadataOf = async (service: Running) => (await eventsOf(service)).map(({ metadata }) => metadata)

test('a Berth-Reason is recorded with every event of its write', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const why = { 'Berth-Reason': 'caf%C3%A9%2C%20100%25+%22' }
  const sut = String((await admin.post('/api/sut/create', aSut(), why)).json._id)
  const { location } = (await admin.post('/api/sut_reservation/create', aReservation(sut), why)).headers
  await admin.post(`${location}/extend`, { duration: 1800 }, why)
  await admin.request('POST', `${location}/cancel`, why)
  await admin.post(`/api/sut/${sut}/update`, { os: 'linux' }, why)
  await admin.post(`/api/sut/${sut}/tags`, { a: '1' }, why)
  await admin.post(`/api/sut/${sut}/tags`, { a: '2' })
  await admin.request('POST', `/api/sut/${sut}/retire`, why)
  const reasons = (await metadataOf(service)).map(({ reason }) => reason)
  const given = 'café, 100%+"'
  // Berth itself recorded the last one.
  t.deepEqual(reasons, [given, given, given, given, given, given, given, undefined, given, undefined])
  const longest = encodeURIComponent('😀'.repeat(200))
  t.is((await admin.post('/api/sut/create', aSut(), { 'Berth-Reason': longest })).status, 201)
  t.is((await metadataOf(service)).at(-1)?.reason, '😀'.repeat(200))
})

test('a Berth-Reason that is too long, badly encoded or has control characters is refused', async (t) => {
  const service = await start(t, { now: NOW })
  const wrong = [
    '',
    'a'.repeat(201),
    encodeURIComponent('😀'.repeat(201)),
    '%',
    '%4',
    '%ff',
    '%c3%28',
    '%ed%a0%80',
    'é',
  ]
  for (const reason of [...wrong, 'a%00', 'a%0Ab', '%7F', '%C2%85']) {
    const answer = await service.as('admin').post('/api/sut/create', aSut(), { 'Berth-Reason': reason })
    t.deepEqual(refusalOf(answer), [422, 'invalid', 'Berth-Reason'], reason)
    t.true(answer.text.includes('"header":"Berth-Reason"'))
    t.deepEqual(faultsOf(answer), [])
  }
  t.deepEqual(await eventsOf(service), [])
})

test('an idempotency key repeated with another reason is refused', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const key = { 'Idempotency-Key': 'once' }
  const send = (why: Record<string, string>) => admin.post('/api/sut/create', aSut(), { ...key, ...why })
  const first = await send({ 'Berth-Reason': 'a%20b' })
  t.is(first.status, 201)
  for (const reason of ['a%20b', 'a b', '%61%20b']) t.is((await send({ 'Berth-Reason': reason })).text, first.text)
  for (const other of [{}, { 'Berth-Reason': 'b' }]) {
    t.deepEqual(refusalOf(await send(other)), [422, 'idempotency_key_reused', 'Idempotency-Key'])
  }
  t.is((await eventsOf(service)).length, 2)
})
