import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { METRICS_MEDIA_TYPE } from '../../../src/http/routes/metrics/metrics.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { SHARED_STORE } from '../../event-store/shared-store.ts'
import type { Client } from '../client.ts'
import { EVENTS_OF_START, type Running, start, temporaryData } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, aSeries, aSut, createSut, NOW, reserve } from '../requests.ts'
import { changedStore, failingAppends } from '../store/stores.ts'
import { until } from '../until.ts'

/** Every sample by its name and labels. Throws at a line that Prometheus would refuse. */
const samplesOf = (text: string): ReadonlyMap<string, number> => {
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# ')) continue
    const [, name, value] = /^([a-z_]+(?:\{(?:[a-z_]+="[^"\\\n]*",?)*\})?) (Na[Nn]|[-+]?[\d.e+-]+)$/.exec(line) ?? []
    if (name === undefined || samples.has(name)) throw new Error(`not a sample, or repeated: ${line}`)
    samples.set(name, value === 'Nan' ? Number.NaN : Number(value))
  }
  return samples
}

const samplesFrom = async (client: Client): Promise<ReadonlyMap<string, number>> =>
  samplesOf((await client.get('/metrics')).text)

const sample = async (service: Running, name: string): Promise<number | undefined> =>
  (await samplesFrom(service.as('audrey'))).get(name)

test('auditors and administrators can read metrics, in the Prometheus text format', async (t) => {
  const service = await start(t)
  const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1'
  for (const name of ['admin', 'audrey']) {
    for (const headers of [{}, { Accept: accept }, { Accept: 'text/plain' }]) {
      const answer = await service.as(name).get('/metrics', headers)
      t.is(answer.status, 200)
      t.is(answer.headers['content-type'], METRICS_MEDIA_TYPE)
      t.true(samplesOf(answer.text).size > 20)
    }
  }
  t.deepEqual(refusalOf(await service.as('alice').get('/metrics')), [403, 'forbidden'])
  t.deepEqual(refusalOf(await service.anyone.get('/metrics')), [401, 'unauthenticated'])
})

test('requests, errors and retries are counted by route, never by address', async (t) => {
  const service = await start(t, { now: NOW })
  const [admin, alice] = [service.as('admin'), service.as('alice')]
  const sut = await createSut(admin)
  const key = { 'Idempotency-Key': 'CaNaRy' }
  for (let i = 0; i < 3; i++) t.is((await reserve(alice, aReservation(sut), key)).status, 201)
  for (let i = 0; i < 2; i++) t.is((await reserve(alice, aReservation(sut))).status, 409)
  for (let i = 0; i < 5; i++) await alice.get(`/api/sut/CaNaRy-${i}`)
  await alice.get('/CaNaRy')
  const samples = await samplesFrom(service.as('audrey'))
  const [route, method] = ['route="/api/sut_reservation/create"', 'method="POST"']
  t.is(samples.get(`berth_http_requests_total{${route},${method},status="201"}`), 3)
  t.is(samples.get(`berth_http_requests_total{${route},${method},status="409"}`), 2)
  t.is(samples.get('berth_http_requests_total{route="/api/sut/:id",method="GET",status="404"}'), 5)
  t.is(samples.get('berth_http_requests_total{route="none",method="GET",status="404"}'), 1)
  t.is(samples.get(`berth_http_request_duration_seconds_count{${route},${method}}`), 5)
  t.is(samples.get('berth_refusals_total{code="reservation_conflict"}'), 2)
  t.is(samples.get('berth_refusals_total{code="sut_not_found"}'), 5)
  t.is(
    samples.get('berth_refusals_total{code="internal"}'),
    0,
    'present from the start, so that the first error is an increase',
  )
  t.is(samples.get('berth_retries_answered_total'), 2)
  t.is(samples.get('berth_appends_total{outcome="done"}'), 3, 'a SUT is two appends')
  // Three of the start come before them. An EventStoreDB does not report its commits.
  t.is(samples.get('berth_commit_appends_sum'), SHARED_STORE === undefined ? 6 : 0)
  t.is(samples.get('berth_decisions_repeated_total{why="refused"}'), 2)
  t.false([...samples.keys()].join().includes('CaNaRy'))
})

test('a repeated creation counts as one retry, despite its two appends', async (t) => {
  const service = await start(t, { now: NOW })
  const key = { 'Idempotency-Key': 'once' }
  for (let i = 0; i < 4; i++) t.is((await service.as('admin').post('/api/sut/create', aSut(), key)).status, 201)
  t.is(await sample(service, 'berth_retries_answered_total'), 3)
})

test('each retry counts once, also where the command answers it', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const key = (name: string) => ({ 'Idempotency-Key': name })
  const sut = await createSut(admin)
  const twice = async (path: string, body: object, name: string) => {
    const before = (await sample(service, 'berth_retries_answered_total')) ?? 0
    const [first, again] = [await admin.post(path, body, key(name)), await admin.post(path, body, key(name))]
    t.deepEqual([again.status, again.text], [first.status, first.text], path)
    t.is(((await sample(service, 'berth_retries_answered_total')) ?? 0) - before, 1, path)
    return first
  }
  const made = await twice('/api/sut_reservation_series/create', aSeries(sut), 'series')
  await twice(`${made.headers.location}/cancel`, {}, 'cancelled')
  await twice('/api/sut/import', { suts: [aSut({ name: 'one' }), aSut({ name: 'two' })] }, 'suts')
  await twice('/api/user/import', { users: [{ name: 'zoe', role: 'tester', password: 'correct horse zoe' }] }, 'users')
  await twice(`/api/sut/${sut}/update`, { os: 'linux' }, 'update')
})

test('failed appends are counted by their outcome', async (t) => {
  const path = join(await temporaryData(t), 'events.db')
  let hasStarted = false
  const service = await start(t, {
    openStore: changedStore(
      path,
      failingAppends((stream) => hasStarted && stream === 'listenPorts', 2),
    ),
  })
  hasStarted = true
  for (let i = 0; i < 2; i++) t.is((await service.as('admin').post('/api/sut/create', aSut())).status, 503)
  await createSut(service.as('admin'))
  t.is(await sample(service, 'berth_appends_total{outcome="unavailable"}'), 2)
  t.is(await sample(service, 'berth_appends_total{outcome="done"}'), 2)
})

test('berth_log_events and berth_view_lag show the current log size and projection lag', async (t) => {
  const path = join(await temporaryData(t), 'events.db')
  const shown = EVENTS_OF_START + 2
  const blind = changedStore(path, (store) => ({
    async *subscribe(after, signal) {
      for await (const batch of store.subscribe(after, signal)) {
        yield { events: batch.events.filter(({ storePosition }) => storePosition < shown), caughtUp: batch.caughtUp }
      }
    },
  }))
  const service = await start(t, { now: NOW, openStore: blind })
  const sut = await createSut(service.as('admin'))
  t.deepEqual(await Promise.all(['berth_log_events', 'berth_view_lag'].map((name) => sample(service, name))), [
    shown,
    0,
  ])
  // It is answered from the log after the wait for the views times out.
  const updated = service.as('admin').post(`/api/sut/${sut}/update`, { os: 'linux' })
  await until('the views lag by an event', async () => (await sample(service, 'berth_view_lag')) === 1, 60_000)
  t.is(await sample(service, 'berth_ready'), 1)
  t.is((await updated).status, 200)
})

test('uncommitted rows are counted', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'))
  // Rows are committed within a second, on a slow machine perhaps before the metrics are read.
  const waiting = async (): Promise<number> => {
    await service.as('admin').post(`/api/sut/${sut}/update`, { os: `linux ${randomHex(4)}` })
    return (await sample(service, 'berth_view_pending_rows')) ?? 0
  }
  await t.notThrowsAsync(until('rows are pending', async () => (await waiting()) > 0, 60_000))
})

test('an alarm is raised as long as its cause lasts', async (t) => {
  const service = await start(t)
  const key = join(service.data, 'vault.key')
  const alarm = () => sample(service, 'berth_alarm{part="vault"}')
  t.is(await alarm(), 0)
  const good = await readFile(key)
  await rm(key)
  await until('the alarm is raised', async () => (await alarm()) === 1, 60_000)
  t.is(await sample(service, 'berth_alarm{part="users"}'), 0)
  t.is((await service.anyone.get('/health/ready')).status, 200, 'the last known good keys are in use')
  await writeFile(key, good)
  await until('the alarm is over', async () => (await alarm()) === 0, 60_000)
})

test('metrics are available during catch-up, and berth_ready is 0', async (t) => {
  const path = join(await temporaryData(t), 'events.db')
  const never = changedStore(path, (store) => ({
    async *subscribe(after, signal) {
      for await (const batch of store.subscribe(after, signal)) yield { ...batch, caughtUp: false }
    },
  }))
  const service = await start(t, { openStore: never })
  t.is(await sample(service, 'berth_ready'), 0)
  const answer = await service.anyone.get('/health/ready')
  t.deepEqual(answer.json.parts, {
    service: 'ok',
    store: 'ok',
    views: 'behind',
    users: 'ok',
    vault: 'ok',
    clock: 'ok',
    gateway: 'ok',
  })
  t.regex(String(answer.json.detail), /views behind/)
})

test('a metric that cannot be read is NaN, and the others are shown', async (t) => {
  const path = join(await temporaryData(t), 'events.db')
  let isBroken = false
  const broken = changedStore(path, (store) => ({
    head: () => (isBroken ? Promise.reject(new Error('the disk is gone')) : store.head()),
  }))
  const service = await start(t, { openStore: broken })
  isBroken = true
  t.is(await sample(service, 'berth_view_lag'), Number.NaN)
  t.is(await sample(service, 'berth_ready'), 1)
})

test('a metric that does not answer delays the others by two seconds at most', async (t) => {
  const path = join(await temporaryData(t), 'events.db')
  let isSilent = false
  const silent = changedStore(path, (store) => ({
    head: () => (isSilent ? new Promise(() => undefined) : store.head()),
  }))
  const service = await start(t, { openStore: silent })
  isSilent = true
  t.is(await sample(service, 'berth_view_lag'), Number.NaN)
})

test('two services in one process count separately', async (t) => {
  const [one, other] = [await start(t), await start(t)]
  await createSut(one.as('admin'))
  t.is(await sample(one, 'berth_appends_total{outcome="done"}'), 2)
  t.is(await sample(other, 'berth_appends_total{outcome="done"}'), undefined)
})
