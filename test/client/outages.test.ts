import test from 'ava'
import { temporaryData } from '../http/harness.ts'
import { logOf } from '../http/store/log-rows.ts'
import { until } from '../http/until.ts'
import { HELD, historyOf, hold, reserving, runFile, runHere, startLab } from './lab.ts'
import { breakOff, breakOffWithin, neverAnswer, refuse, startProxy } from './proxy.ts'

const CREATE = '/api/sut_reservation/create'
const ASK = '/api/sut_request/create'

test('a request whose answer is lost is sent again with its key, so that one machine is reserved', async (t) => {
  const lab = await startLab(t)
  const proxy = await startProxy(t, lab.service.port, ASK, [breakOff, breakOffWithin, refuse()])
  const env = { ...lab.env, BERTH_URL: proxy.url }
  const { code, errors } = await runHere(reserving(1, '--', 'true'), env, { outageMs: 30_000 })
  t.deepEqual([code, proxy.count()], [0, 4])
  t.is(errors.match(/cannot be reached: .*; retrying\n/g)?.length, 1)
  t.deepEqual(await historyOf(lab, 1), HELD)
})

test('thorough: Retry-After is waited for', async (t) => {
  const lab = await startLab(t)
  const proxy = await startProxy(t, lab.service.port, ASK, [refuse({ 'Retry-After': '2' })])
  const begun = performance.now()
  const env = { ...lab.env, BERTH_URL: proxy.url }
  t.is((await runHere(reserving(1, '--', 'true'), env, { outageMs: 30_000 })).code, 0)
  t.true(performance.now() - begun >= 2_000)
  const late = await startProxy(t, lab.service.port, ASK, [refuse({ 'Retry-After': '2' })])
  t.is((await runHere(reserving(1, '--', 'true'), { ...lab.env, BERTH_URL: late.url }, { outageMs: 1_000 })).code, 69)
})

test('thorough: a service that is started again meanwhile costs COMMAND nothing', async (t) => {
  const data = await temporaryData(t)
  const lab = await startLab(t, 1, { data })
  const release = await hold(t, lab, 1)
  await lab.service.stop()
  const again = await startLab(t, 0, { data, environment: { BERTH_PORT: String(lab.service.port), ...lab.ports } })
  const { code, errors } = await release()
  t.is(code, 0)
  t.regex(errors, /cannot be reached: .*; retrying\n/)
  t.deepEqual(await historyOf({ ...lab, service: again.service }, 1), HELD)
})

test('thorough: a service that is started again while a request waits grants it later', async (t) => {
  const data = await temporaryData(t)
  const lab = await startLab(t, 1, { data })
  const held = { sut_id: lab.suts[0], start_in: 0, duration: 1800 }
  const { _id } = (await lab.service.as('admin').post(CREATE, held)).json
  const running = runHere(reserving(1, '--wait', '1h', '--', 'true'), lab.env)
  const count = async () => (await lab.service.as('alice').get('/api/sut_request?status=waiting')).json.count
  await until('the request waits', async () => (await count()) === 1, 60_000)
  await lab.service.stop()
  const again = await startLab(t, 0, { data, environment: { BERTH_PORT: String(lab.service.port), ...lab.ports } })
  t.is((await again.service.as('admin').post(`/api/sut_reservation/${_id}/cancel`, {})).status, 200)
  t.is((await running).code, 0)
  t.deepEqual(await historyOf({ ...lab, service: again.service }, 1), [...HELD, ...HELD])
})

test('thorough: keeping alive is tried again before the reservation is lost', async (t) => {
  const lab = await startLab(t)
  const proxy = await startProxy(t, lab.service.port, '/keepalive', [neverAnswer])
  const env = { ...lab.env, BERTH_URL: proxy.url }
  const release = await hold(t, lab, 1, { options: ['--keepalive', '30s'], env })
  await until('it is tried again', async () => proxy.count() > 1, 60_000)
  t.is((await release()).code, 0)
})

test('thorough: one who waits is kept alive by the client, and is passed over once that is killed', async (t) => {
  const lab = await startLab(t)
  const held = { sut_id: lab.suts[0], start_in: 0, duration: 1800 }
  const { _id } = (await lab.service.as('admin').post(CREATE, held)).json
  const first = runFile(t, lab, reserving(1, '--wait', '1h', '--keepalive', '30s', '--', 'true'))
  await first.said('number 1 in the queue')
  const second = runFile(t, lab, reserving(1, '--wait', '1h', '--', 'true'))
  await second.said('number 2 in the queue')
  const kept = async () => (await logOf(lab.service)).filter(({ type }) => type === 'RequestKept').length
  await until('it was kept alive', async () => (await kept()) > 0, 60_000)
  first.child.kill('SIGKILL')
  const admin = lab.service.as('admin')
  const [waits] = (await admin.get('/api/sut_request?status=waiting')).json.sut_requests as { _id: string }[]
  const place = async () => (await admin.get(`/api/sut_request/${waits?._id}`)).json.position
  await until('the one behind is first', async () => (await place()) === 0, 60_000)
  t.is((await admin.post(`/api/sut_reservation/${_id}/cancel`, {})).status, 200)
  t.is((await second.ended).code, 0)
})
