import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { EventStore } from '../../../src/event-store/event-store.ts'
import { version } from '../../../src/http/documents/version.ts'
import { METRICS_MEDIA_TYPE } from '../../../src/http/routes/metrics/metrics.ts'
import { type } from '../../command-line/terminal.ts'
import { randomHex } from '../../event-store/new-events.ts'
import { SHARED_STORE } from '../../event-store/shared-store.ts'
import type { Client } from '../client.ts'
import { EVENTS_OF_START, type Running, type Setting, start, temporaryData } from '../harness.ts'
import { lab, said } from '../lab.ts'
import { aSeries, aSut, createSut, NOW, REFUSING } from '../requests.ts'
import { changedStore, failingAppends } from '../store/stores.ts'
import { until } from '../until.ts'

/** Every sample by its name and labels. Throws at a line that Prometheus would refuse. */
const samplesFrom = async (client: Client): Promise<ReadonlyMap<string, number>> => {
  const samples = new Map<string, number>()
  for (const line of (await client.get('/metrics')).text.split('\n')) {
    if (line === '' || line.startsWith('# ')) continue
    const [, name, value] = /^([a-z_]+(?:\{(?:[a-z_]+="[^"\\\n]*",?)*\})?) (Na[Nn]|[-+]?[\d.e+-]+)$/.exec(line) ?? []
    if (name === undefined || samples.has(name)) throw new Error(`not a sample, or repeated: ${line}`)
    samples.set(name, value === 'Nan' ? Number.NaN : Number(value))
  }
  return samples
}

const sample = async ({ as }: Pick<Running, 'as'>, name: string): Promise<number | undefined> =>
  (await samplesFrom(as('audrey'))).get(`berth_${name}`)

const samples = async (service: Pick<Running, 'as'>, names: readonly string[]) => {
  const all = await samplesFrom(service.as('audrey'))
  return names.map((name) => all.get(`berth_${name}`))
}

/** A service on a store with changes. */
const startOver = async (t: ExecutionContext, change: (store: EventStore) => Partial<EventStore>, more: Setting = {}) =>
  start(t, { openStore: changedStore(join(await temporaryData(t), 'events.db'), change), ...more })

test('auditors and administrators can read metrics, in the Prometheus text format', async (t) => {
  const { anyone, ask } = await lab(t)
  const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1'
  for (const name of ['admin', 'audrey']) {
    for (const headers of [{}, { Accept: accept }, { Accept: 'text/plain' }]) {
      const answer = await ask(name, 'GET /metrics', undefined, headers)
      t.deepEqual([answer.status, answer.headers['content-type']], [200, METRICS_MEDIA_TYPE])
      t.true(answer.text.includes(`\nberth_build_info{version="${version()}",node="${process.versions.node}"} 1\n`))
    }
  }
  t.is(said(await ask('alice', 'GET /metrics')), '403 forbidden')
  t.is(said(await anyone.get('/metrics')), '401 unauthenticated')
})

test('requests, errors and retries are counted by route, never by address', async (t) => {
  const { as, ask, book } = await lab(t)
  for (let i = 0; i < 3; i++) t.is((await book('alice', {}, {}, { 'Idempotency-Key': 'CaNaRy' })).status, 201)
  for (let i = 0; i < 2; i++) t.is((await book('alice')).status, 409)
  for (let i = 0; i < 5; i++) await ask('alice', `GET /api/sut/CaNaRy-${i}`)
  await ask('alice', 'GET /CaNaRy')
  const all = await samplesFrom(as('audrey'))
  const [route, method] = ['route="/api/sut_reservation/create"', 'method="POST"']
  for (const [name, count] of [
    [`http_requests_total{${route},${method},status="201"}`, 3],
    [`http_requests_total{${route},${method},status="409"}`, 2],
    ['http_requests_total{route="/api/sut/:id",method="GET",status="404"}', 5],
    ['http_requests_total{route="none",method="GET",status="404"}', 1],
    [`http_request_duration_seconds_count{${route},${method}}`, 5],
    ['refusals_total{code="reservation_conflict"}', 2],
    ['refusals_total{code="sut_not_found"}', 5],
    // Present from the start, so that the first error is an increase.
    ['refusals_total{code="internal"}', 0],
    ['retries_answered_total', 2],
    // The first users are one append, a SUT is two.
    ['appends_total{outcome="done"}', 4],
    // One of the start comes before them. An EventStoreDB does not report its commits.
    ['commit_appends_sum', SHARED_STORE === undefined ? 5 : 0],
    ['decisions_repeated_total{why="refused"}', 2],
  ] as const)
    t.is(all.get(`berth_${name}`), count, name)
  t.false([...all.keys()].join().includes('CaNaRy'))
})

test('each retry counts once, also where the command answers it, or it is two appends', async (t) => {
  const { as, ask, sut } = await lab(t)
  const twice = async (path: string, body: object, name: string) => {
    const before = (await sample({ as }, 'retries_answered_total')) ?? 0
    const send = () => ask('admin', `POST ${path}`, body, { 'Idempotency-Key': name })
    const [first, again] = [await send(), await send()]
    t.deepEqual([again.status, again.text], [first.status, first.text], path)
    t.is(((await sample({ as }, 'retries_answered_total')) ?? 0) - before, 1, path)
    return first
  }
  const made = await twice('/api/sut_reservation_series/create', aSeries(sut), 'series')
  await twice(`${made.headers.location}/cancel`, {}, 'cancelled')
  await twice('/api/sut/create', aSut(), 'sut')
  await twice('/api/sut/import', { suts: [aSut({ name: 'one' }), aSut({ name: 'two' })] }, 'suts')
  await twice('/api/user/import', { users: [{ name: 'zoe', role: 'tester', password: 'correct horse zoe' }] }, 'users')
  await twice(`/api/sut/${sut}/update`, { os: 'linux' }, 'update')
})

test('failed appends are counted by their outcome, of each service apart', async (t) => {
  const other = await start(t)
  let hasStarted = false
  const service = await startOver(
    t,
    failingAppends((stream) => hasStarted && stream === 'listenPorts', 2),
  )
  hasStarted = true
  for (let i = 0; i < 2; i++) t.is((await service.as('admin').post('/api/sut/create', aSut())).status, 503)
  await createSut(service.as('admin'))
  const outcomes = ['appends_total{outcome="unavailable"}', 'appends_total{outcome="done"}']
  t.deepEqual(await samples(service, outcomes), [2, 3])
  t.deepEqual(await samples(other, outcomes), [undefined, 1])
})

test('the size of the log, how far the views lag and what they have not written are shown', async (t) => {
  const shown = EVENTS_OF_START + 2
  const service = await startOver(
    t,
    (store) => ({
      async *subscribe(after, signal) {
        for await (const batch of store.subscribe(after, signal)) {
          yield { events: batch.events.filter(({ storePosition }) => storePosition < shown), caughtUp: batch.caughtUp }
        }
      },
    }),
    { now: NOW },
  )
  const sut = await createSut(service.as('admin'))
  t.deepEqual(await samples(service, ['log_events', 'view_lag']), [shown, 0])
  // It is answered from the log after the wait for the views times out.
  const updated = service.as('admin').post(`/api/sut/${sut}/update`, { os: 'linux' })
  await until('the views lag by an event', async () => (await sample(service, 'view_lag')) === 1, 60_000)
  t.is(await sample(service, 'ready'), 1)
  t.is((await updated).status, 200)
  // Rows are committed within a second, on a slow machine perhaps before the metrics are read.
  const whole = await lab(t)
  const arePending = async (): Promise<boolean> => {
    await whole.ask('admin', `POST /api/sut/${whole.sut}/update`, { os: `linux ${randomHex(4)}` })
    return Number(await sample(whole, 'view_pending_rows')) > 0
  }
  await until('rows are pending', arePending, 60_000)
})

test('an alarm is raised as long as its cause lasts', async (t) => {
  const service = await start(t)
  const key = join(service.data, 'vault.key')
  const alarm = () => sample(service, 'alarm{part="vault"}')
  t.is(await alarm(), 0)
  const good = await readFile(key)
  await rm(key)
  await until('the alarm is raised', async () => (await alarm()) === 1, 60_000)
  t.is(await sample(service, 'alarm{part="users"}'), 0)
  t.is((await service.anyone.get('/health/ready')).status, 200, 'the last known good keys are in use')
  await writeFile(key, good)
  await until('the alarm is over', async () => (await alarm()) === 0, 60_000)
})

test('a metric that cannot be read, or does not answer for two seconds, is NaN, and the others are shown', async (t) => {
  for (const head of [() => Promise.reject(new Error('the disk is gone')), () => new Promise<never>(() => undefined)]) {
    let isBroken = false
    const service = await startOver(t, (store) => ({ head: () => (isBroken ? head() : store.head()) }))
    isBroken = true
    t.deepEqual(await samples(service, ['view_lag', 'ready']), [Number.NaN, 1])
  }
})

test('SUTs are counted by state, each once, without those that are retired', async (t) => {
  const { as, ask, sut } = await lab(t)
  const admin = as('admin')
  await ask('admin', `POST /api/sut/${sut}/retire`)
  for (let n = 0; n < 2; n++) await createSut(admin)
  await createSut(admin, { is_active: false })
  const inactive = await createSut(admin, { ...REFUSING, is_active: false })
  await ask('admin', `POST /api/sut/${inactive}/monitoring`, { enabled: true, interval: 86_400 })
  const states = ['online', 'offline', 'unknown', 'not_monitored', 'inactive'].map((state) => `suts{state="${state}"}`)
  t.deepEqual(await samples({ as }, states), [0, 0, 0, 2, 2])
})

test('reservations that run and requests that wait are counted, with the longest wait', async (t) => {
  const { as, ask, book, clock, sut } = await lab(t)
  const figures = () => samples({ as }, ['reservations_running', 'requests_waiting', 'requests_longest_wait_seconds'])
  t.deepEqual(await figures(), [0, 0, 0])
  t.is((await book('alice')).status, 201)
  const ids: unknown[] = []
  for (const at of ['2030-05-02T06:00:10Z', '2030-05-02T06:00:40Z']) {
    clock.set(at)
    const asked = { sut_id: sut, duration: 900, wait: 3_600 }
    ids.push((await ask('alice', 'POST /api/sut_request/create', asked)).json._id)
  }
  clock.set('2030-05-02T06:01:10Z')
  t.deepEqual(await figures(), [1, 2, 60])
  await ask('alice', `POST /api/sut_request/${ids[0]}/withdraw`)
  t.deepEqual(await figures(), [1, 1, 30])
})

test('the time of the last backup is 0 before the first', async (t) => {
  const service = await start(t)
  // Another store is backed up by its own means.
  if (SHARED_STORE !== undefined) return void t.is(await sample(service, 'last_backup_timestamp_seconds'), Number.NaN)
  t.is(await sample(service, 'last_backup_timestamp_seconds'), 0)
  const now = Date.parse('2030-05-02T01:30:00Z')
  const { data } = service
  t.is((await type(['backup', join(data, 'backup')], { BERTH_DATA: data }, { now: () => now })).code, 0)
  const names = ['last_backup_timestamp_seconds', 'certificate_expiry_timestamp_seconds']
  t.deepEqual(await samples(service, names), [now / 1_000, Number.NaN])
})
