import test from 'ava'
import { type } from '../command-line/terminal.ts'
import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'
import { aLogOn } from '../event-store/eventstoredb/subject.ts'
import { type Running, start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { startEmbedded } from './copying.ts'

/** The responses to reads, to compare before and after. */
const readAs = async (service: Running, paths: readonly string[]) => {
  const audrey = service.as('audrey')
  return Promise.all(paths.map(async (path) => (await audrey.get(path)).text))
}

test('a service on the copy continues from the embedded log, with its secrets and idempotency keys', async (t) => {
  const embedded = await startEmbedded(t)
  const { data } = embedded
  const [admin, alice] = [embedded.as('admin'), embedded.as('alice')]
  const sut = await createSut(admin, { password: 'kept' })
  const made = await reserved(alice, aReservation(sut))
  const create = { name: 'bench 9', address: '10.0.0.9', port: 22, sut_type: 'tcp' }
  const first = await admin.post('/api/sut/create', create, { 'Idempotency-Key': 'k' })
  const paths = ['/api/sut', '/api/sut_reservation', `/api/sut/${sut}`, String(made.headers.location)]
  const before = await readAs(embedded, paths)
  await embedded.stop()
  const own = await startProtocolServer()
  t.teardown(own.close)
  const to = aLogOn(own.address)
  const { code, error } = await type(['copy', '--from', `sqlite:${data}/events.db`, '--to', to])
  t.deepEqual([code, error], [0, ''])
  const moved = await start(t, { now: NOW, data, environment: { BERTH_EVENT_STORE: to } })
  await until('ready', async () => (await moved.anyone.get('/health/ready')).status === 200, 60_000)
  t.deepEqual(await readAs(moved, paths), before)
  const retried = await moved.as('admin').post('/api/sut/create', create, { 'Idempotency-Key': 'k' })
  t.deepEqual([retried.status, retried.text], [201, first.text])
  t.is((await moved.as('admin').get('/api/sut')).headers['berth-position'], first.headers['berth-position'])
  t.is((await moved.as('alice').request('POST', `${made.headers.location}/cancel`)).status, 200)
})
