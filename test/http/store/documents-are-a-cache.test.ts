import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { forwarding, NOW as RUNNING, running } from '../../gateway/console/stage.ts'
import { connectTo, startSut } from '../../gateway/peers.ts'
import { idOf, start } from '../harness.ts'
import { refusalOf } from '../refusals/problems.ts'
import { aReservation, createSut, NOW, reserved } from '../requests.ts'
import { until } from '../until.ts'
import { eventsOf } from './log-rows.ts'

const falsify = (data: string, change: string): void => {
  const views = new DatabaseSync(join(data, 'views.db'))
  views.exec(`UPDATE reservation SET ${change}`)
  views.close()
}

/** A service that restarts with a falsified document of Alice's reservation. */
const stage = async (t: ExecutionContext, change: string) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'))
  const path = String((await reserved(service.as('alice'), aReservation(sut))).headers.location)
  await service.stop()
  falsify(service.data, change)
  const again = await start(t, { now: NOW, data: service.data })
  await until('ready', async () => (await again.anyone.get('/health/ready')).status === 200, 60_000)
  return { service: again, path }
}

const OF_BOB = `document = replace(document, '${idOf('alice')}', '${idOf('bob')}')`

test("a document with a falsified holder lets nobody cancel or extend another's reservation", async (t) => {
  const { service, path } = await stage(t, OF_BOB)
  t.is((await service.as('bob').get(path)).json.user_id, idOf('bob'), 'the document was changed')
  t.deepEqual(refusalOf(await service.as('bob').request('POST', `${path}/cancel`)), [403, 'not_your_reservation'])
  const longer = { duration: 3600 }
  t.deepEqual(refusalOf(await service.as('bob').post(`${path}/extend`, longer)), [403, 'not_your_reservation'])
  t.is((await service.as('alice').post(`${path}/extend`, longer)).status, 200)
  t.is((await service.as('alice').request('POST', `${path}/cancel`)).status, 200)
  const recorded = (await eventsOf(service)).slice(3)
  t.deepEqual(
    recorded.map(({ type, data }) => [type, data.user_id]),
    [
      ['ReservationExtended', idOf('alice')],
      ['ReservationCancelled', idOf('alice')],
    ],
  )
})

test('a reservation whose document is falsified as cancelled can still be cancelled', async (t) => {
  const { service, path } = await stage(t, "ended = 'cancelled'")
  t.is((await service.as('alice').request('POST', `${path}/cancel`)).status, 200)
  t.is((await eventsOf(service)).at(-1)?.type, 'ReservationCancelled')
})

test('a session has the holder that the log names, whatever a document says', async (t) => {
  const sut = await startSut(t)
  const environment = { BERTH_GATEWAY: 'on', BERTH_GATEWAY_CLIENTS: 'any' }
  const before = await forwarding(t, { port: sut.port, sut_type: 'tcp' }, { environment })
  const path = await running(before)
  const { service, listenPort } = before
  await service.stop()
  falsify(service.data, OF_BOB)
  const ports = { ...environment, BERTH_LISTEN_PORTS: `${listenPort}-${listenPort}` }
  const again = await start(t, { now: RUNNING, data: service.data, environment: ports })
  const isOpen = async (): Promise<boolean> => {
    again.tick()
    return (await again.as('admin').get(`${path}/connection`)).json.open === true
  }
  await until('the port is open', isOpen, 60_000)
  t.is((await again.as('bob').get(path)).json.user_id, idOf('bob'), 'the document was changed')
  await connectTo(t, listenPort)
  const opened = async () => (await eventsOf(again)).find(({ type }) => type === 'SessionOpened')
  const isRecorded = async (): Promise<boolean> => {
    again.tick()
    return (await opened()) !== undefined
  }
  await until('the session is recorded', isRecorded, 60_000)
  t.is((await opened())?.data.user_id, idOf('alice'))
})
