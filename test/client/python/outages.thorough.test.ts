import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { temporaryData } from '../../http/harness.ts'
import { until } from '../../http/until.ts'
import { HELD, historyOf, startLab } from '../lab.ts'
import { breakOff, breakOffWithin, neverAnswer, passTo, refuse, startProxy } from '../proxy.ts'
import { startPythonLab, inPython as test } from './lab.ts'

const ASK = '/api/sut_request/create'

test('a request whose answer is lost is sent again with its key, so that one machine is reserved', async (t) => {
  const lab = await startPythonLab(t)
  const proxy = await startProxy(t, lab.service.port, ASK, [breakOff, breakOffWithin, neverAnswer, refuse()])
  const script = `
berth.LIMITS.answer = 5
with berth.reserve(**MINE): say("begun")
`
  const { code, errors } = await lab.run(t, script, { env: { BERTH_URL: proxy.url } }).ended
  t.deepEqual([code, proxy.count()], [0, 5], errors)
  t.is(errors.match(/cannot be reached: .*; retrying\n/g)?.length, 1)
  t.deepEqual(await historyOf(lab, 1), HELD)
})

test('one who is interrupted before the answer of its request finds the machine by its key, and gives it back', async (t) => {
  const lab = await startPythonLab(t)
  const proxy = await startProxy(t, lab.service.port, ASK, [breakOff])
  const script = `
berth.LIMITS.retry, berth.LIMITS.outage = 600, 6000
berth.reserve(**MINE)
`
  const running = lab.run(t, script, { env: { BERTH_URL: proxy.url } })
  await running.said('; retrying')
  t.deepEqual(await historyOf(lab, 1), HELD.slice(0, 1))
  running.child.kill('SIGINT')
  t.regex((await running.ended).errors, /KeyboardInterrupt\n$/)
  t.is(proxy.count(), 2)
  t.deepEqual(await historyOf(lab, 1), HELD)
})

test('Retry-After is waited for, and not beyond the time of an outage', async (t) => {
  const lab = await startPythonLab(t)
  const late = refuse({ 'Retry-After': '2' })
  const proxy = await startProxy(t, lab.service.port, ASK, [late, passTo, late])
  const script = `
begun = time.monotonic()
with berth.reserve(**MINE): say(time.monotonic() - begun >= 2)
berth.LIMITS.outage = 1
try:
    berth.reserve(**MINE)
except berth.Unreachable as error:
    say(error.code, error.status, error.exit_code, error)
`
  const { out } = await lab.run(t, script, { env: { BERTH_URL: proxy.url } }).ended
  t.is(out, 'True\nunavailable 503 69 503 unavailable: None\n')
})

test('a service that is not there, a page of another server and one that leads elsewhere are out of reach', async (t) => {
  const seen: (string | undefined)[] = []
  const other = createServer((req, res) => {
    if (req.url?.startsWith('/moved')) seen.push(req.headers.authorization)
    else res.writeHead(302, { Location: `http://localhost:${(other.address() as AddressInfo).port}/moved` })
    res.end('<p>hello')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  t.teardown(() => void other.close())
  const { port } = other.address() as AddressInfo
  const lab = await startPythonLab(t, 0)
  const script = `
berth.LIMITS.outage = 0
for url in ("http://127.0.0.1:1", "http://127.0.0.1:${port}", "http://127.0.0.1:${port}/moved"):
    os.environ["BERTH_URL"] = url
    try:
        berth.api("GET", "/api/user/me")
    except berth.Unreachable as error:
        say(error)
`
  const { out, errors } = await lab.run(t, script).ended
  t.deepEqual(
    out.replaceAll(String(port), '2').trim().split('\n'),
    [
      'the service at http://127.0.0.1:1 cannot be reached: Connection refused',
      'the service at http://127.0.0.1:2 cannot be reached: what answers is not Berth; its status is 302 and it leads to http://localhost:2/moved',
      'the service at http://127.0.0.1:2/moved cannot be reached: what answers is not Berth; its status is 200',
    ],
    errors,
  )
  // Once, as that was its address.
  t.is(seen.length, 1)
})

test('a service that is started again meanwhile costs the block nothing, and the feed no event', async (t) => {
  const data = await temporaryData(t)
  const lab = await startPythonLab(t, 1, { data })
  const { token } = (await lab.service.as('audrey').post('/api/user/me/token', { name: 'feed' })).json
  const done = join(lab.folder, 'done')
  const script = `
with berth.reserve(**MINE) as machine:
    say("begun")
    while not os.path.exists("${done}"): time.sleep(0.05)
    machine.check()
`
  const block = lab.run(t, script)
  await block.said('begun')
  const reader = lab.run(
    t,
    `
for event in berth.events():
    say(event["sequence"])
    if event["type"] == "berth.ReservationCancelled":
        break
`,
    { env: { BERTH_TOKEN: String(token) } },
  )
  await reader.said('00000000000000000009')
  const filtered = `
for event in berth.events("latest", type=["SutCreated", "ReservationCancelled"], sut_id="${lab.suts[0]}"):
    say(event["type"])
    break
`
  const waiting = lab.run(t, filtered, { env: { BERTH_TOKEN: String(token) } })
  // Of the streams, nothing is known before they end.
  const asks = () => lab.service.answered.some(({ route }) => route === '/api/events')
  await until('it knows the end of the log', async () => asks(), 60_000)
  await lab.service.stop()
  const again = await startLab(t, 0, { data, environment: { BERTH_PORT: String(lab.service.port), ...lab.ports } })
  await writeFile(done, '')
  t.like(await block.ended, { code: 0, out: 'begun\n' })
  const held = { sut_id: lab.suts[0], start_in: 3600, duration: 900 }
  const { _id } = (await again.service.as('admin').post('/api/sut_reservation/create', held)).json
  t.is((await again.service.as('admin').post(`/api/sut_reservation/${_id}/cancel`, {})).status, 200)
  const read = (await reader.ended).out.trim().split('\n').map(Number)
  t.deepEqual(
    read,
    read.map((_, n) => n),
  )
  t.true(read.length > 12)
  t.is((await waiting.ended).out, 'berth.ReservationCancelled\n')
})
