import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { start, temporaryData } from '../../harness.ts'
import { refusalOf } from '../../refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, reserved } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'
import { changedStore, failingAppends } from '../../store/stores.ts'
import { until } from '../../until.ts'

/** The next start completes what a crash interrupted between two appends. test/commands covers every point. */

const KEY = { 'Idempotency-Key': 'k' }
const environment = { BERTH_LISTEN_PORTS: '4000-4001' }

/** A service whose first append to some streams fails. */
const withInterruption = async (t: ExecutionContext, isOpen: (stream: string) => boolean) => {
  const data = await temporaryData(t)
  const openStore = changedStore(join(data, 'events.db'), failingAppends(isOpen, 1))
  return start(t, { now: NOW, data, environment, openStore })
}

const typesIn = async (data: string): Promise<readonly string[]> => (await logOf({ data })).map(({ type }) => type)

const waitForSweep = (data: string, count: number): Promise<void> =>
  until('the sweep', async () => (await logOf({ data })).length >= count, 60_000)

test('a creation interrupted over a minute ago is abandoned at the next start, and its port is released', async (t) => {
  const service = await withInterruption(t, (stream) => stream.startsWith('sut-'))
  const { data } = service
  t.deepEqual(refusalOf(await service.as('admin').post('/api/sut/create', aSut(), KEY)), [503, 'unavailable'])
  await service.stop()
  const again = await start(t, { now: '2030-05-02T05:59:11.401Z', data, environment })
  await waitForSweep(data, 3)
  t.deepEqual(await typesIn(data), ['ListenPortAssigned', 'SutCreationAbandoned', 'ListenPortReleased'])
  const [assigned] = await logOf({ data })
  // It was never visible as a SUT, and its retry starts over.
  const { sut_id } = assigned?.data ?? {}
  t.deepEqual(refusalOf(await again.as('admin').get(`/api/sut/${sut_id}`)), [404, 'sut_not_found'])
  const made = await again.as('admin').post('/api/sut/create', aSut(), KEY)
  t.is(made.status, 201)
  t.not(made.json._id, sut_id)
  t.is((await again.as('admin').post('/api/sut/create', aSut(), KEY)).text, made.text)
  // One of two ports is taken, so one more SUT can be created.
  await createSut(again.as('admin'))
  t.deepEqual(refusalOf(await again.as('admin').post('/api/sut/create', aSut())), [503, 'listen_ports_exhausted'])
})

test('the port of a SUT whose retirement was interrupted is released at the next start', async (t) => {
  let isRetiring = false
  const service = await withInterruption(t, (stream) => isRetiring && stream === 'listenPorts')
  const { data } = service
  const sut_id = await createSut(service.as('admin'))
  isRetiring = true
  t.is((await service.as('admin').request('POST', `/api/sut/${sut_id}/retire`)).status, 200)
  t.deepEqual(await typesIn(data), ['ListenPortAssigned', 'SutCreated', 'SutRetired'])
  await service.stop()
  const again = await start(t, { now: NOW, data, environment })
  await waitForSweep(data, 4)
  t.deepEqual((await typesIn(data)).slice(3), ['ListenPortReleased'])
  const suts = [await createSut(again.as('admin')), await createSut(again.as('admin'))]
  const ports = []
  for (const id of suts) ports.push((await reserved(again.as('alice'), aReservation(id))).json.listen_port)
  t.deepEqual(ports, [4001, 4000])
})

test('a second retirement releases the port before the next start', async (t) => {
  let isRetiring = false
  const service = await withInterruption(t, (stream) => isRetiring && stream === 'listenPorts')
  const path = `/api/sut/${await createSut(service.as('admin'))}/retire`
  isRetiring = true
  const answers = [await service.as('admin').request('POST', path), await service.as('admin').request('POST', path)]
  for (const { status, text } of answers) t.deepEqual([status, text], [200, answers[0]?.text])
  t.deepEqual((await typesIn(service.data)).slice(2), ['SutRetired', 'ListenPortReleased'])
})
