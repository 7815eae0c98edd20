import { setImmediate as turn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { makeForwarded } from '../../../src/app/machines/forwarded.ts'
import { start } from '../../http/harness.ts'
import { createSut, reserved } from '../../http/requests.ts'
import { stopwatch, until } from '../../http/until.ts'
import { SOON } from '../console/stage.ts'
import { freePort, startSut } from '../peers.ts'

/** Milliseconds for which a port is open before its reservation is over. */
const LATER = 60_000
const CLOCK = () => 0

test('a wait is over when another program has the port, which is the last error until the port is open', async (t) => {
  const forwarded = makeForwarded(CLOCK)
  forwarded.open({ reservationId: 'taken', until: 1 })
  const waiting = forwarded.waitUntilOpen('taken', LATER)
  forwarded.portTaken('taken', 'EADDRINUSE')
  await waiting
  const error = { time: '1970-01-01T00:00:00.000Z', cause: 'port_taken' }
  t.deepEqual([forwarded.isPortOpen('taken'), forwarded.lastError('taken')], [false, error])
  const later = forwarded.waitUntilOpen('taken', LATER)
  forwarded.portOpened('taken')
  await later
  t.deepEqual([forwarded.isPortOpen('taken'), forwarded.lastError('taken')], [true, undefined])
  forwarded.portTaken('taken', 'EADDRNOTAVAIL')
  t.is(forwarded.lastError('taken')?.cause, 'port_unusable')
})

test('4,096 calls wait, and beyond that the answer comes at once', async (t) => {
  const forwarded = makeForwarded(CLOCK)
  const answered = new Set<string>()
  const wait = (id: string) => forwarded.waitUntilOpen(id, LATER).then(() => answered.add(id))
  const waits = Array.from({ length: 4_096 }, (_, n) => wait(String(n)))
  waits.push(wait('one more'))
  await turn()
  t.deepEqual([...answered], ['one more'])
  forwarded.endWaits()
  await Promise.all(waits)
})

const given = async (t: ExecutionContext) => {
  const listen = await freePort()
  const environment = { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${listen}-${listen}` }
  const service = await start(t, { now: '2030-05-02T06:02:00.000Z', environment })
  const { port } = await startSut(t)
  const admin = service.as('admin')
  const sut_id = await createSut(admin, { address: '127.0.0.1', port, sut_type: 'vnc' })
  const { json: me } = await admin.get('/api/user/me')
  const window = { user_id: String(me._id), sut_id, start_in: 3_600, duration: 600 }
  const { json } = await reserved(admin, window)
  const path = `/api/sut_reservation/${json._id}`
  return { service, admin, path, connection: `${path}/connection`, answered: () => service.answered.length }
}

test('a connection that is waited for is told when its port is open', async (t) => {
  const { service, admin, connection } = await given(t)
  const waiting = admin.get(`${connection}?wait=60`)
  t.is((await admin.get(`${connection}?wait=0`)).json.open, false)
  service.clock.set('2030-05-02T07:02:00.000Z')
  let waited: boolean | undefined
  void waiting.then(({ json }) => {
    waited = json.open === true
  })
  await until(
    'the wait is over',
    async () => {
      service.tick()
      return waited !== undefined
    },
    SOON,
  )
  t.true(waited)
})

test('a wait for a reservation that is cancelled meanwhile ends with 410', async (t) => {
  const { admin, path, connection } = await given(t)
  const waiting = admin.get(`${connection}?wait=60`)
  await admin.get(connection)
  t.is((await admin.request('POST', `${path}/cancel`)).status, 200)
  t.is((await waiting).status, 410)
  t.is((await admin.get(`${connection}?wait=60`)).status, 410)
})

test('a port that will not open again is not waited for: the reservation is released, or over', async (t) => {
  const { service, admin, path, connection } = await given(t)
  const taken = stopwatch()
  service.clock.set('2030-05-02T07:03:00.000Z')
  t.is((await admin.request('POST', `${path}/cancel`)).status, 200)
  t.like(await admin.get(`${connection}?wait=60`), { status: 200, json: { open: false } })
  service.clock.set('2030-05-02T08:00:00.000Z')
  t.like(await admin.get(`${connection}?wait=60`), { status: 200, json: { open: false } })
  t.true(taken() < 30_000)
})

test('a wait is a number of seconds up to 60, and for JSON only', async (t) => {
  const { admin, connection } = await given(t)
  for (const wait of ['61', '-1', 'x', '']) t.is((await admin.get(`${connection}?wait=${wait}`)).status, 422, wait)
  const file = await admin.get(`${connection}?wait=1`, { Accept: 'application/x-vnc' })
  t.is(file.status, 422)
  t.like(file.json, { errors: [{ parameter: 'wait' }] })
})
