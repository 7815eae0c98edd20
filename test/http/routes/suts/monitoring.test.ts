import test from 'ava'
import { startSut } from '../../../gateway/peers.ts'
import { start } from '../../harness.ts'
import { asks, lab } from '../../lab.ts'
import { createSut, NOW, REFUSING } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'
import { until } from '../../until.ts'
import '../../documents/fit-answers.ts'
import { becomes, check, LOCAL, monitor, read, SOON, statusOf } from './monitored.ts'

test('monitoring is enabled with an interval of 60 s, and its record and updated_at move', async (t) => {
  const service = await start(t, { now: NOW })
  const id = await createSut(service.as('admin'))
  service.clock.set('2030-05-02T06:00:00Z')
  const enabled = await monitor(service, id, { enabled: true })
  t.is(enabled.status, 200)
  t.deepEqual(enabled.json.monitoring, {
    status: 'Unknown',
    last_updated: '2030-05-02T06:00:00+00:00',
    status_description: 'SUT has not been probed yet',
  })
  t.is(enabled.json.updated_at, '2030-05-02T06:00:00.000+00:00')
  t.is(enabled.headers.etag, '"1"')
  const rows = await logOf(service)
  t.deepEqual(rows.at(-1), { type: 'SutMonitoringEnabled', data: { _id: id, interval: 60 } })
})

test('the same again records nothing, another interval keeps the state, and disabling ends it', async (t) => {
  const service = await start(t, { now: NOW })
  const id = await createSut(service.as('admin'))
  const first = await monitor(service, id, { enabled: true, interval: 60 })
  service.clock.set('2030-05-02T06:00:00Z')
  const again = await monitor(service, id, { enabled: true })
  t.deepEqual([again.status, again.text, again.headers.etag], [200, first.text, '"1"'])
  const other = await monitor(service, id, { enabled: true, interval: 86_400 })
  t.deepEqual(other.json.monitoring, first.json.monitoring)
  t.is(other.headers.etag, '"2"')
  const disabled = await monitor(service, id, { enabled: false })
  t.deepEqual(disabled.json.monitoring, {
    status: 'SUT Monitoring Disabled',
    last_updated: '2030-05-02T06:00:00+00:00',
    status_description: 'SUT Monitoring is disabled',
  })
  t.is((await monitor(service, id, { enabled: false })).headers.etag, '"3"')
  t.is((await logOf(service)).length, 5)
})

test('a monitored SUT goes online at its first probe and offline at its third failure', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await startSut(t, (socket) => socket.resume())
  const id = await createSut(service.as('admin'), { ...LOCAL, port: sut.port })
  // A shorter interval could add a fourth probe before the metrics are read.
  await monitor(service, id, { enabled: true, interval: 86_400 })
  await becomes(service, id, 'Online')
  const online = await read(service, id)
  t.like(online.json.monitoring, { status_description: 'SUT is online' })
  t.is(online.headers.etag, '"1.1"')
  const updated = await service.as('admin').post(`/api/sut/${id}/update`, { port: REFUSING.port })
  t.like((await read(service, id)).json.monitoring, { status: 'Unknown' })
  t.is((await read(service, id)).headers.etag, '"2.1"')
  await becomes(service, id, 'Offline')
  const offline = await read(service, id)
  t.like(offline.json.monitoring, { status_description: 'SUT is offline: it refused the connection' })
  t.is(offline.json.updated_at, updated.json.updated_at, 'probes do not move it')
  t.is(offline.headers.etag, '"2.2"')
  const metrics = (await service.as('admin').get('/metrics')).text
  t.regex(metrics, /berth_probes_total\{outcome="refused"\} 3\n/)
  t.regex(metrics, /berth_probes_total\{outcome="reachable"\} [1-9]/)
  const changes = (await logOf(service)).filter(({ type }) => type.startsWith('SutWent'))
  t.deepEqual(changes, [
    { type: 'SutWentOnline', data: { _id: id } },
    { type: 'SutWentOffline', data: { _id: id, cause: 'refused' } },
  ])
})

test('a wrong body, a SUT that is not there or retired, and a stale If-Match are refused', async (t) => {
  const { ask, sut } = await lab(t)
  const [of, stale] = [`POST /api/sut/${sut}`, { 'If-Match': '"7"' }]
  const nothing = 'POST /api/sut/58c38f5d444553252cce0000'
  await asks(t, { ask }, [
    ['admin', `${of}/monitoring`, '422 invalid #/enabled', {}],
    ['admin', `${of}/monitoring`, '422 invalid #/enabled', { enabled: 'yes' }],
    ['admin', `${of}/monitoring`, '422 invalid #/interval', { enabled: false, interval: 60 }],
    ['admin', `${of}/monitoring`, '422 invalid #/interval', { enabled: true, interval: 9 }],
    ['admin', `${of}/monitoring`, '422 invalid #/interval', { enabled: true, interval: 86_401 }],
    ['admin', `${of}/monitoring`, '422 invalid #/interval', { enabled: true, interval: 10.5 }],
    ['admin', `${of}/monitoring`, '422 field_unknown #/every', { enabled: true, every: 60 }],
    ['admin', `${nothing}/monitoring`, '404 sut_not_found', { enabled: true }],
    ['admin', `${nothing}/check`, '404 sut_not_found', {}],
    ['admin', `${of}/monitoring`, '412 stale', { enabled: true }, stale],
    ['admin', `${of}/monitoring`, '200', { enabled: true }, { 'If-Match': '"0"' }],
    ['admin', `${of}/retire`, '200'],
    ['admin', `${of}/monitoring`, '410 sut_retired', { enabled: true }, stale],
    ['admin', `${of}/check`, '410 sut_retired', {}],
  ])
})

test('If-Match compares the record alone, If-None-Match the whole', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await startSut(t, (socket) => socket.resume())
  const id = await createSut(admin, { ...LOCAL, port: sut.port })
  await monitor(service, id, { enabled: true })
  t.deepEqual((await check(service, id)).json.cause, null)
  t.is((await admin.get(`/api/sut/${id}`, { 'If-None-Match': '"1"' })).status, 200)
  t.is((await admin.get(`/api/sut/${id}`, { 'If-None-Match': '"1.1"' })).status, 304)
  const update = (tag: string, os: string) => admin.post(`/api/sut/${id}/update`, { os }, { 'If-Match': tag })
  t.is((await update('"0.1"', 'a')).status, 412)
  t.is((await update('W/"1.1"', 'a')).status, 412)
  t.is((await update('"1"', 'a')).headers.etag, '"2.1"')
  t.is((await update('"2.7"', 'b')).headers.etag, '"3.1"')
})

test('a check answers what it found, counts as a probe, and shows at once', async (t) => {
  const service = await start(t, { now: NOW })
  const admin = service.as('admin')
  const sut = await startSut(t, (socket) => socket.resume())
  const id = await createSut(admin, { ...LOCAL, port: sut.port })
  const first = await check(service, id)
  t.is(first.status, 200)
  t.like(first.json, { reachable: true, cause: null })
  t.true(Number.isInteger(first.json.milliseconds))
  t.is(statusOf(await read(service, id)), 'SUT Monitoring Disabled')
  t.is((await logOf(service)).length, 2, 'nothing is recorded of a SUT that is not monitored')
  const second = await check(service, id)
  t.deepEqual([second.status, second.json.code, second.headers['retry-after']], [429, 'too_many_checks', '1'])
  await admin.post(`/api/sut/${id}/update`, { port: REFUSING.port })
  await monitor(service, id, { enabled: true, interval: 86_400 })
  for (let n = 1; n <= 3; n++) {
    t.is(statusOf(await read(service, id)), 'Unknown', `after ${n - 1} failures`)
    service.clock.set(new Date(service.clock.now() + 1_000).toISOString())
    t.like((await check(service, id)).json, { reachable: false, cause: 'refused' })
  }
  t.is(statusOf(await read(service, id)), 'Offline')
  await admin.post(`/api/sut/${id}/update`, { port: sut.port })
  service.clock.set(new Date(service.clock.now() + 1_000).toISOString())
  await check(service, id)
  t.is(statusOf(await read(service, id)), 'Online')
  const nowhere = await createSut(admin, { ...LOCAL, address: 'no-such-machine.invalid', port: 1 })
  t.like((await check(service, nowhere)).json, { reachable: false, cause: 'unknown_host' })
})

test('nothing is probed while the clock is in doubt, and a check then records nothing', async (t) => {
  let boot = 1_000_000
  const service = await start(t, { now: NOW, sinceBoot: () => boot })
  const sut = await startSut(t, (socket) => socket.resume())
  const id = await createSut(service.as('admin'), { ...LOCAL, port: sut.port })
  await monitor(service, id, { enabled: true })
  service.clock.set('2030-05-02T06:08:11.400Z')
  for (let n = 0; n < 20; n++) {
    service.tick()
    await read(service, id)
  }
  t.is(sut.sockets.length, 0)
  t.is((await check(service, id)).json.reachable, true)
  t.is(statusOf(await read(service, id)), 'Unknown')
  service.clock.set(NOW)
  await until(
    'a probe',
    async () => {
      boot += 1_000
      service.clock.set(new Date(service.clock.now() + 1_000).toISOString())
      service.tick()
      return statusOf(await read(service, id)) === 'Online'
    },
    SOON,
  )
  t.true(sut.sockets.length > 1)
})
