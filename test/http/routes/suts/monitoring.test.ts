import test from 'ava'
import { asks, lab } from '../../lab.ts'
import { createSut, NOW, REFUSING } from '../../requests.ts'
import { until } from '../../until.ts'
import { check, LOCAL, monitoredLab, SOON } from './monitored.ts'

test('a monitored SUT goes online at its first probe and offline at its third failure', async (t) => {
  const { admin, becomes, changes, description, id, monitor, read, status, update } = await monitoredLab(t)
  // A shorter interval could add a fourth probe before the metrics are read.
  await monitor()
  await becomes('Online')
  t.is(await description(), 'SUT is online')
  t.is((await read()).headers.etag, '"1.1"')
  const updated = await update({ port: REFUSING.port })
  t.is(await status(), 'Unknown')
  t.is((await read()).headers.etag, '"2.1"')
  await becomes('Offline')
  const offline = await read()
  t.is(await description(), 'SUT is offline: it refused the connection')
  t.is(offline.json.updated_at, updated.json.updated_at, 'probes do not move it')
  t.is(offline.headers.etag, '"2.2"')
  const metrics = (await admin.get('/metrics')).text
  t.regex(metrics, /berth_probes_total\{outcome="refused"\} 3\n/)
  t.regex(metrics, /berth_probes_total\{outcome="reachable"\} [1-9]/)
  t.deepEqual(await changes(), [
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
  const { admin, check, id, monitor, recorded, update } = await monitoredLab(t)
  await monitor({})
  t.like((await recorded())[0]?.data, { interval: 60 }, 'unless another is given')
  t.deepEqual((await check()).json.cause, null)
  t.is((await admin.get(`/api/sut/${id}`, { 'If-None-Match': '"1"' })).status, 200)
  t.is((await admin.get(`/api/sut/${id}`, { 'If-None-Match': '"1.1"' })).status, 304)
  const updateIf = (tag: string, os: string) => update({ os }, { 'If-Match': tag })
  t.is((await updateIf('"0.1"', 'a')).status, 412)
  t.is((await updateIf('W/"1.1"', 'a')).status, 412)
  t.is((await updateIf('"1"', 'a')).headers.etag, '"2.1"')
  t.is((await updateIf('"2.7"', 'b')).headers.etag, '"3.1"')
})

test('a check answers what it found, counts as a probe, and shows at once', async (t) => {
  const { admin, checkLater, machine, monitor, service, status, update, ...all } = await monitoredLab(t)
  const first = await all.check()
  t.is(first.status, 200)
  t.like(first.json, { reachable: true, cause: null })
  t.true(Number.isInteger(first.json.milliseconds))
  t.is(await status(), 'SUT Monitoring Disabled')
  t.deepEqual(await all.recorded(), [], 'nothing is recorded of a SUT that is not monitored')
  const second = await all.check()
  t.deepEqual([second.status, second.json.code, second.headers['retry-after']], [429, 'too_many_checks', '1'])
  await update({ port: REFUSING.port })
  await monitor()
  for (let n = 1; n <= 3; n++) {
    t.is(await status(), 'Unknown', `after ${n - 1} failures`)
    t.like((await checkLater()).json, { reachable: false, cause: 'refused' })
  }
  t.is(await status(), 'Offline')
  await update({ port: machine.port })
  await checkLater()
  t.is(await status(), 'Online')
  const nowhere = await createSut(admin, { ...LOCAL, address: 'no-such-machine.invalid', port: 1 })
  t.like((await check(service, nowhere)).json, { reachable: false, cause: 'unknown_host' })
})

test('nothing is probed while the clock is in doubt, and a check then records nothing', async (t) => {
  let boot = 1_000_000
  const { check, clock, machine, monitor, status, tick } = await monitoredLab(t, { setting: { sinceBoot: () => boot } })
  await monitor({})
  clock.set('2030-05-02T06:08:11.400Z')
  for (let n = 0; n < 20; n++) {
    tick()
    await status()
  }
  t.is(machine.sockets.length, 0)
  t.is((await check()).json.reachable, true)
  t.is(await status(), 'Unknown')
  clock.set(NOW)
  await until(
    'a probe',
    async () => {
      boot += 1_000
      clock.set(new Date(clock.now() + 1_000).toISOString())
      tick()
      return (await status()) === 'Online'
    },
    SOON,
  )
  t.true(machine.sockets.length > 1)
})
