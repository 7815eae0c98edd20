import test from 'ava'
import { type } from '../command-line/terminal.ts'
import { startProtocolServer } from '../event-store/eventstoredb/protocol/protocol-server.ts'
import { aLogOn } from '../event-store/eventstoredb/subject.ts'
import { openStore } from '../event-store/sqlite/subject.ts'
import { type Running, start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { until } from '../http/until.ts'
import { launch, run } from '../process/harness.ts'
import { textsOf } from './histories.ts'
import { aLog, foundAt, startEmbedded } from './typed.ts'

/** Services during and after the copy of a log. */

test('thorough: a copy killed midway is completed by a second run; no service starts on it before', async (t) => {
  const own = await startProtocolServer()
  t.teardown(own.close)
  const { args: again, to, texts, path, data } = await aLog(t, own.address, 1_000)
  own.delayAnswers(10)
  for (const appends of [100, 400]) {
    const child = launch(t, { data, args: again })
    await until('some of it is copied', async () => own.counters.appends >= appends, 60_000)
    child.signal('SIGKILL')
    await child.exited
  }
  await until('what was under way has been stored', async () => own.counters.delayed === 0, 60_000)
  own.delayAnswers(0)
  const unfinished = {
    message: /^the event store contains an unfinished copy of the log [0-9a-f]{24}: run "copy" again$/,
  }
  const environment = { BERTH_EVENT_STORE: to, BERTH_VAULT_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
  await t.throwsAsync(start(t, { environment }), unfinished)
  await t.throwsAsync(foundAt(t, to), unfinished)
  const other = await aLog(t, own.address, 1)
  const elsewhere = await run({ data, args: ['copy', '--from', `sqlite:${other.path}`, '--to', to] })
  t.deepEqual([elsewhere.code, elsewhere.output], [1, ''], 'a copy of another log is refused')
  const { code, out, error } = await type([...again, '--json'])
  t.is(code, 0, error)
  const { events, found } = JSON.parse(out)
  t.is(events, 1_000)
  t.true(found >= 100 && found < 1_000, String(found))
  t.deepEqual(await foundAt(t, to), texts)
  t.deepEqual(await textsOf(openStore(t, path)), texts, 'the source is unchanged')
})

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
