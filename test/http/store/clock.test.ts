import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type } from '../../command-line/terminal.ts'
import { start, temporaryData } from '../harness.ts'
import { lab } from '../lab.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aSut, createSut } from '../requests.ts'
import { until } from '../until.ts'
import { withWrites } from './writes.ts'

const NOW = '2030-05-02T06:00:00.000Z'
const HOUR_LATER = '2030-05-02T07:00:01.000Z'
const KEY = { 'Idempotency-Key': 'k' }

/** A service whose wall clock is set while no time passes. */
const stage = async (t: ExecutionContext, now = NOW, data?: string) => {
  const service = await start(t, { now, sinceBoot: () => 0, ...(data !== undefined && { data }) })
  return { service, admin: service.as('admin'), alice: service.as('alice') }
}

test('after a clock jump of over an hour writes are 503 clock_ahead, and reads and retries work', async (t) => {
  const service = await lab(t, { now: NOW, sinceBoot: () => 0 })
  const [admin, sut_id] = [service.as('admin'), service.sut]
  const { refusesWrites } = await withWrites(service)
  const kept = await service.book('alice', '12:00-13:00', {}, KEY)
  service.clock.set(HOUR_LATER)
  await refusesWrites(t, '503 clock_ahead')
  t.is((await admin.post('/api/sut/create', aSut())).headers['retry-after'], '60')
  t.is((await service.book('alice', '12:00-13:00', {}, KEY)).text, kept.text)
  t.is((await admin.get('/health/ready')).status, 200)
  t.regex((await admin.get('/metrics')).text, /^berth_alarm\{part="clock"\} 1$/m)
  service.clock.set(NOW)
  t.is((await admin.post(`/api/sut/${sut_id}/update`, { os: 'linux' })).status, 200)
  const isCleared = async () => /^berth_alarm\{part="clock"\} 0$/m.test((await admin.get('/metrics')).text)
  await until('the alarm is cleared', isCleared, 5_000)
  // Starts and ends also wait if the service has looked at the clock meanwhile.
  const ofWrites = service.log.filter(
    ({ facts, sentence }) => 'alarm' in facts && !sentence.includes('starts and ends'),
  )
  t.deepEqual(
    ofWrites.map(({ level, sentence }) => [level, sentence]),
    [
      [
        'error',
        'the clock jumped ahead by more than an hour; refusing writes until it is set or confirmed: berth clock confirm',
      ],
      ['info', 'the clock is correct again; accepting writes'],
    ],
  )
})

test('a clock that an operator confirms is accepted, however far it jumped', async (t) => {
  const { service, admin } = await stage(t)
  const sut_id = await createSut(admin)
  service.clock.set('2031-05-02T06:00:00.000Z')
  t.is((await admin.post(`/api/sut/${sut_id}/update`, { os: 'linux' })).status, 503)
  const confirmed = await type(['clock', 'confirm'], { BERTH_DATA: service.data })
  t.deepEqual(confirmed, { code: 0, out: 'time\t2031-05-02T06:00:00.000Z\n', error: '' })
  t.is((await admin.post(`/api/sut/${sut_id}/update`, { os: 'linux' })).status, 200)
})

test('a service that starts 30 days after its last event refuses writes until the clock is confirmed', async (t) => {
  const data = await temporaryData(t)
  const before = await stage(t, NOW, data)
  const sut_id = await createSut(before.admin)
  await before.service.stop()
  const { service, admin } = await stage(t, '2030-06-01T06:00:00.001Z', data)
  const update = () => admin.post(`/api/sut/${sut_id}/update`, { os: 'linux' })
  const refused = await update()
  t.deepEqual(refusalOf(refused), [503, 'clock_ahead'])
  t.is((await admin.get(`/api/sut/${sut_id}`)).status, 200)
  const ready = await service.anyone.get('/health/ready')
  t.is(ready.status, 200)
  const alarm = service.log.find(({ facts }) => 'alarm' in facts && facts.alarm === 'clock')?.sentence
  for (const told of [refused.json.detail, ready.json.detail, alarm]) t.regex(String(told), /berth clock confirm/)
  t.regex(String(alarm), /past the last event of the log, as after a long idle time; refusing writes/)
  await type(['clock', 'confirm'], { BERTH_DATA: data })
  t.is((await update()).status, 200)
  await service.stop()
})

test('BERTH_CLOCK_AHEAD_MAX sets how long after the last event a start accepts writes', async (t) => {
  const data = await temporaryData(t)
  const before = await stage(t, NOW, data)
  await createSut(before.admin)
  await before.service.stop()
  const environment = { BERTH_CLOCK_AHEAD_MAX: 'P1D' }
  const service = await start(t, { now: '2030-05-03T06:00:00.001Z', sinceBoot: () => 0, data, environment })
  t.deepEqual(refusalOf(await service.as('admin').post('/api/sut/create', aSut())), [503, 'clock_ahead'])
})

test('clock confirm reports that no service runs, and that a path is too long for a socket', async (t) => {
  const data = await temporaryData(t)
  const nobody = await type(['clock', 'confirm'], { BERTH_DATA: data })
  t.deepEqual([nobody.code, nobody.out], [1, ''])
  t.regex(nobody.error, /no service runs on/)
  const long = await type(['clock', 'confirm'], { BERTH_DATA: join(data, 'd'.repeat(100)) })
  t.is(long.code, 1)
  t.regex(long.error, /a socket path can have at most/)
})

test('a service whose directory has too long a path for a socket logs that and serves', async (t) => {
  const data = join(await temporaryData(t), 'd'.repeat(100))
  await mkdir(data)
  const service = await start(t, { data })
  t.is((await service.anyone.get('/health/ready')).status, 200)
  t.true(service.log.some(({ sentence }) => sentence.startsWith('the control socket cannot be opened')))
})
