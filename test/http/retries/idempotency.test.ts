import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { Answer, Headers } from '../client.ts'
import { basic } from '../client.ts'
import { idOf, start } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, reserve, reserved } from '../requests.ts'
import { exchange } from '../server/raw-http.ts'
import { logOf } from '../store/log-rows.ts'

const keyed = (key: string): Headers => ({ 'Idempotency-Key': key })

/** An answer without the values of its own request. */
const repeatable = ({ status, headers, text }: Answer) => {
  const { date: _, 'x-request-id': __, ...others } = headers
  return { status, headers: others, text }
}

const LATER = { start_time: '2030-05-02T07:00:00Z', end_time: '2030-05-02T08:00:00Z' }

test('a repeated creation returns the first answer, whatever has happened since, and records nothing', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const createTwice = () => admin.post('/api/sut/create', aSut({ password: 'secret' }), keyed('sut'))
  const sut = await createTwice()
  const sut_id = String(sut.json._id)
  const reservation = await reserve(service.as('alice'), aReservation(sut_id), keyed('reservation'))
  t.deepEqual([sut.status, reservation.status], [201, 201])
  service.clock.set('2030-05-02T06:59:00Z')
  await admin.post(`/api/sut/${sut_id}/update`, { name: 'other', is_active: false })
  const recorded = await logOf(service)
  t.deepEqual(repeatable(await createTwice()), repeatable(sut))
  const again = await reserve(service.as('alice'), aReservation(sut_id), keyed('reservation'))
  t.deepEqual(repeatable(again), repeatable(reservation))
  t.deepEqual(await logOf(service), recorded)
  // A new key is a new request.
  const other = await reserve(service.as('alice'), aReservation(sut_id), keyed('other'))
  t.is(other.json.code, 'window_over')
})

test('a repeated update returns the SUT as of the first, with its ETag', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const path = `/api/sut/${await createSut(admin)}/update`
  const first = await admin.post(path, { name: 'first', password: 'secret' }, keyed('1'))
  const second = await admin.post(path, { name: 'second' }, keyed('2'))
  t.deepEqual([first.headers.etag, second.headers.etag], ['"1"', '"2"'])
  t.deepEqual(repeatable(await admin.post(path, { name: 'first', password: 'secret' }, keyed('1'))), repeatable(first))
  t.deepEqual(repeatable(await admin.post(path, { name: 'second' }, keyed('2'))), repeatable(second))
  t.is((await admin.get(path.replace('/update', ''))).json.name, 'second')
})

test('without a key a repeated creation is a new one', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  await reserved(service.as('alice'), aReservation(sut_id))
  t.is((await reserve(service.as('alice'), aReservation(sut_id))).status, 409)
  t.not(await createSut(service.as('admin')), sut_id)
})

test('twenty simultaneous requests with one key are recorded once and get the same answer', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const before = (await logOf(service)).length
  const twenty = <A>(ask: () => Promise<A>) => Promise.all(Array.from({ length: 20 }, ask))
  const suts = await twenty(() => service.as('admin').post('/api/sut/create', aSut(), keyed('s')))
  const reservations = await twenty(() => reserve(service.as('alice'), aReservation(sut_id), keyed('r')))
  for (const answers of [suts, reservations]) {
    t.is(answers[0]?.status, 201)
    for (const answer of answers) t.deepEqual(repeatable(answer), repeatable(answers[0] as Answer))
  }
  t.deepEqual(
    (await logOf(service)).slice(before).map(({ type }) => type),
    ['ListenPortAssigned', 'SutCreated', 'ReservationCreated'],
  )
})

test('a key reused for another request is refused, for another SUT and after a restart too', async (t) => {
  const service = await start(t, { now: NOW })
  const [one, other] = [await createSut(service.as('admin')), await createSut(service.as('admin'))]
  const first = await reserve(service.as('admin'), aReservation(one), keyed('k'))
  const reuse = async ({ as }: typeof service): Promise<void> => {
    const reused = [
      await reserve(as('admin'), aReservation(one, LATER), keyed('k')),
      await reserve(as('admin'), aReservation(other), keyed('k')),
      await as('admin').post('/api/sut/create', aSut(), keyed('k')),
      await as('admin').post(`/api/sut/${one}/update`, { name: 'a' }, keyed('k')),
      await as('admin').post(`/api/sut/${other}/update`, aReservation(one), keyed('k')),
    ]
    t.deepEqual(reused.slice(0, 4).map(refusalOf), Array(4).fill([422, 'idempotency_key_reused', 'Idempotency-Key']))
    t.is(reused[4]?.json.code, 'field_unknown')
    for (const answer of reused) t.deepEqual(faultsOf(answer), [])
    t.deepEqual(repeatable(await reserve(as('admin'), aReservation(one), keyed('k'))), repeatable(first))
  }
  await reuse(service)
  const recorded = await logOf(service)
  await service.stop()
  const restarted = await start(t, { now: NOW, data: service.data })
  await reuse(restarted)
  await restarted.stop()
  // The documents rebuilt from the log still know the key.
  await rm(join(service.data, 'views.db'))
  await reuse(await start(t, { now: NOW, data: service.data }))
  t.deepEqual(await logOf(service), recorded)
})

test('a key is still known after a restart of a service that received none', async (t) => {
  const first = await start(t, { now: NOW })
  const sut_id = await createSut(first.as('admin'))
  const made = await reserve(first.as('alice'), aReservation(sut_id), keyed('k'))
  await first.stop()
  const second = await start(t, { now: NOW, data: first.data })
  const other = await createSut(second.as('admin'))
  await second.stop()
  const third = await start(t, { now: NOW, data: first.data })
  // For another SUT only the documents know the key.
  const reused = await reserve(third.as('alice'), aReservation(other), keyed('k'))
  t.deepEqual(refusalOf(reused), [422, 'idempotency_key_reused', 'Idempotency-Key'])
  t.deepEqual(repeatable(await reserve(third.as('alice'), aReservation(sut_id), keyed('k'))), repeatable(made))
})

test('a refused request does not use up its key and may succeed later', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut_id = await createSut(admin, { is_active: false })
  const attempt = () => reserve(service.as('alice'), aReservation(sut_id), keyed('k'))
  t.deepEqual(refusalOf(await attempt()), [409, 'sut_inactive'])
  t.deepEqual(refusalOf(await attempt()), [409, 'sut_inactive'])
  await admin.post(`/api/sut/${sut_id}/update`, { is_active: true })
  const made = await attempt()
  t.is(made.status, 201)
  t.deepEqual(repeatable(await attempt()), repeatable(made))
})

test('an update that changed nothing does not use up its key', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const path = `/api/sut/${await createSut(admin)}/update`
  t.is((await admin.post(path, { name: 'bench 4' }, keyed('k'))).headers.etag, '"0"')
  t.is((await admin.post(path, { name: 'other' }, keyed('k'))).headers.etag, '"1"')
})

test('the same key from another user is independent', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const first = await reserve(service.as('alice'), aReservation(sut_id), keyed('k'))
  const second = await reserve(service.as('bob'), aReservation(sut_id, { ...LATER, user_id: idOf('bob') }), keyed('k'))
  t.deepEqual([first.status, second.status], [201, 201])
  const same = await reserve(service.as('admin'), aReservation(sut_id), keyed('k'))
  t.is(same.json.code, 'reservation_conflict')
})

test('a key is the same with and without quotes', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const first = await reserve(service.as('alice'), aReservation(sut_id), keyed('8e03978e-40d5'))
  t.deepEqual(
    repeatable(await reserve(service.as('alice'), aReservation(sut_id), keyed('"8e03978e-40d5"'))),
    repeatable(first),
  )
  const longest = await reserve(service.as('alice'), aReservation(sut_id, LATER), keyed(`"${'~'.repeat(255)}"`))
  t.is(longest.status, 201)
  t.deepEqual(
    repeatable(await reserve(service.as('alice'), aReservation(sut_id, LATER), keyed('~'.repeat(255)))),
    repeatable(longest),
  )
})

const BAD_KEYS = ['', '""', '"', 'a b', '"a b"', 'é', '"a', 'x'.repeat(256), '"a", "b"', 'a\tb']

test('a malformed or empty key is refused, and the error names the header', async (t) => {
  const service = await start(t, { now: NOW })
  for (const key of BAD_KEYS) {
    const body = Buffer.from(JSON.stringify(aSut()))
    const head = [
      'POST /api/sut/create HTTP/1.1',
      'Host: berth',
      `Authorization: ${basic('admin')}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `Idempotency-Key: ${key}`,
    ]
    const answer = await exchange(service.port, `${head.join('\r\n')}\r\n\r\n${body}`)
    if (answer === undefined) return t.fail('closed without an answer')
    t.deepEqual(refusalOf(answer), [422, 'invalid', 'Idempotency-Key'], JSON.stringify(key))
    t.deepEqual(faultsOf(answer), [])
  }
  t.deepEqual(await logOf(service), [])
})

test('two keys on one request are refused, and a read ignores keys', async (t) => {
  const service = await start(t)
  const admin = service.as('admin')
  const twice = { 'Idempotency-Key': ['a', 'b'] } as unknown as Headers
  t.deepEqual(refusalOf(await admin.post('/api/sut/create', aSut(), twice)), [422, 'invalid', 'Idempotency-Key'])
  t.is((await admin.get('/api/user/me', keyed('a b'))).status, 200)
})
