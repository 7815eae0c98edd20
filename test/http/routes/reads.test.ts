import test from 'ava'
import { idOf, type Running, start, temporaryData } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, importedUser, NOW, reserve, reserved } from '../requests.ts'
import { exchange } from '../server/raw-http.ts'
import { changedStore } from '../store/stores.ts'
import '../documents/fit-answers.ts'

test('/api/user/me returns all of the user itself, as /api/user/:id does', async (t) => {
  const service = await start(t, { now: NOW })
  for (const [name, role] of [
    ['admin', 'administrator'],
    ['alice', 'tester'],
    ['audrey', 'auditor'],
  ] as const) {
    const answer = await service.as(name).get('/api/user/me')
    t.is(answer.status, 200)
    t.is(answer.text, importedUser(name, role))
    t.is((await service.as(name).get(`/api/user/${idOf(name)}`)).text, answer.text)
    t.is(answer.headers['content-type'], 'application/json')
  }
})

test('health checks need no credentials and ignore wrong ones', async (t) => {
  const service = await start(t)
  for (const [path, status] of [
    ['/health/live', 'live'],
    ['/health/ready', 'ready'],
  ] as const) {
    for (const headers of [{}, { Authorization: 'Basic Og==' }]) {
      const answer = await service.anyone.get(path, headers)
      t.is(answer.status, 200)
      t.is(answer.text, JSON.stringify({ status }))
      t.is(answer.headers['content-type'], 'application/json')
      t.truthy(answer.headers['x-request-id'])
    }
  }
})

test('during catch-up the service is live but not ready, with Retry-After', async (t) => {
  const path = `${await temporaryData(t)}/events.db`
  const never = changedStore(path, (store) => ({
    async *subscribe(after, signal) {
      for await (const batch of store.subscribe(after, signal)) yield { ...batch, caughtUp: false }
    },
  }))
  const service = await start(t, { openStore: never })
  t.is((await service.anyone.get('/health/live')).status, 200)
  const answers = [await service.anyone.get('/health/ready'), await service.as('admin').get('/api/user/me')]
  for (const answer of answers) {
    t.deepEqual(refusalOf(answer), [503, 'unavailable'])
    t.deepEqual(faultsOf(answer), [])
  }
})

test('every role reads a reservation and a SUT as they were answered at creation', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const created = await reserved(service.as('alice'), aReservation(sut_id))
  for (const name of ['admin', 'alice', 'bob', 'audrey']) {
    const read = await service.as(name).get(`/api/sut_reservation/${created.json._id}`)
    t.deepEqual([read.status, read.text, read.headers.etag], [200, created.text, undefined])
    t.is((await service.as(name).get(`/api/sut/${sut_id}`)).headers.etag, '"0"')
  }
})

test('HEAD answers like GET without the body', async (t) => {
  const service = await start(t)
  const path = `/api/sut/${await createSut(service.as('admin'))}`
  for (const address of [path, '/api/user/me', '/health/live', '/health/ready', '/api/sut/none']) {
    const [got, head] = [await service.as('alice').get(address), await service.as('alice').request('HEAD', address)]
    const { date: _, 'x-request-id': id, ...headers } = got.headers
    const { date: __, 'x-request-id': other, ...headersOfHead } = head.headers
    t.is(head.status, got.status)
    t.is(head.text, '')
    t.deepEqual(headersOfHead, headers)
    t.not(id, other)
  }
})

test('OPTIONS lists the methods of a path', async (t) => {
  const service = await start(t)
  for (const [path, allow] of [
    ['/api/sut/create', 'OPTIONS, POST'],
    ['/api/sut_reservation/create', 'OPTIONS, POST'],
    ['/api/sut/58c38f5d444553252cce0000', 'GET, HEAD, OPTIONS'],
    ['/api/sut/58c38f5d444553252cce0000/update', 'OPTIONS, POST'],
    ['/api/sut_reservation/58c38f5d444553252cce0000', 'GET, HEAD, OPTIONS'],
    ['/api/user/me', 'GET, HEAD, OPTIONS'],
    ['/health/ready', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const answer = await service.as('audrey').request('OPTIONS', path)
    t.deepEqual([answer.status, answer.headers.allow, answer.text], [200, allow, ''], path)
  }
})

test('OPTIONS needs no credentials where GET needs none, also for a plain check in HTTP/1.0', async (t) => {
  const service = await start(t)
  for (const path of ['/', '/health/live', '/health/ready', '/guide', '/guide/errors']) {
    const answer = await service.anyone.request('OPTIONS', path)
    t.deepEqual([answer.status, answer.headers.allow, answer.text], [200, 'GET, HEAD, OPTIONS', ''], path)
    // As HAProxy sends it.
    t.is((await exchange(service.port, `OPTIONS ${path} HTTP/1.0\r\n\r\n`))?.status, 200, path)
  }
  t.is((await service.anyone.request('OPTIONS', '/api/sut')).status, 401)
})

/** 64 concurrent clients, each of which reads its own writes. Returns the stale reads. */
const staleReads = async (service: Running, rounds: number): Promise<readonly string[]> => {
  const stale: string[] = []
  const sut_ids = await Promise.all(Array.from({ length: 8 }, () => createSut(service.as('admin'))))
  const day = Date.parse('2030-05-03T00:00:00Z')
  const client = async (n: number): Promise<void> => {
    const sut_id = sut_ids[n % 8] as string
    for (let round = 0; round < rounds; round++) {
      const start = day + ((n >> 3) * rounds + round) * 900_000
      const ends = { start_time: new Date(start).toISOString(), end_time: new Date(start + 900_000).toISOString() }
      const made = await reserve(service.as('alice'), aReservation(sut_id, ends))
      const read = await service.as('bob').get(`/api/sut_reservation/${made.json._id}`)
      if (made.status !== 201 || read.text !== made.text) stale.push(`${made.text} was read as ${read.text}`)
    }
  }
  await Promise.all(Array.from({ length: 64 }, (_, n) => client(n)))
  return stale
}

test('thorough: the next read shows every acknowledged write, with 64 concurrent clients', async (t) => {
  t.deepEqual(await staleReads(await start(t, { now: NOW }), 5), [])
})

test('reads are the same byte for byte after a restart', async (t) => {
  const service = await start(t, { now: NOW })
  const sut_id = await createSut(service.as('admin'))
  const made = await reserved(service.as('alice'), aReservation(sut_id))
  const updated = await service.as('admin').post(`/api/sut/${sut_id}/update`, { name: 'other' })
  await service.stop()
  const again = await start(t, { now: NOW, data: service.data })
  const [sut, reservation] = [
    await again.as('alice').get(`/api/sut/${sut_id}`),
    await again.as('alice').get(String(made.headers.location)),
  ]
  t.deepEqual([sut.text, sut.headers.etag, reservation.text], [updated.text, updated.headers.etag, made.text])
})
