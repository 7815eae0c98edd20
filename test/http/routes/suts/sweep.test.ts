import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { start, temporaryData } from '../../harness.ts'
import { aReservation, createSut, NOW, reserved } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'
import { changedStore, failingAppends } from '../../store/stores.ts'
import { until } from '../../until.ts'

/** The next start completes what a crash interrupted between two appends. test/commands covers every point. */

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
