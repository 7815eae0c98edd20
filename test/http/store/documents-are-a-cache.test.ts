import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { forwarding, NOW as RUNNING, running } from '../../gateway/console/stage.ts'
import { connectTo, startSut } from '../../gateway/peers.ts'
import { idOf, start } from '../harness.ts'
import { lab, said } from '../lab.ts'
import { NOW } from '../requests.ts'
import { until } from '../until.ts'
import { eventsOf } from './log-rows.ts'

const falsify = (data: string, change: string): void => {
  const views = new DatabaseSync(join(data, 'views.db'))
  views.exec(`UPDATE reservation SET ${change}`)
  views.close()
}

/** A service that restarts with a falsified document of Alice's reservation, and what she and Bob get of it. */
const stage = async (t: ExecutionContext, change: string) => {
  const before = await lab(t)
  const { location: path = '' } = (await before.book('alice')).headers
  await before.stop()
  falsify(before.data, change)
  const service = await start(t, { now: NOW, data: before.data })
  await until('ready', async () => (await service.anyone.get('/health/ready')).status === 200, 60_000)
  const ask = async (who: string, verb: string, body: object = {}) =>
    said(await service.as(who).post(`${path}/${verb}`, body))
  return { service, path, ask, recorded: async () => (await eventsOf(service)).slice(3) }
}

const OF_BOB = `document = replace(document, '${idOf('alice')}', '${idOf('bob')}')`

test("a document with a falsified holder lets nobody cancel or extend another's reservation", async (t) => {
  const { service, path, ask, recorded } = await stage(t, OF_BOB)
  t.is((await service.as('bob').get(path)).json.user_id, idOf('bob'), 'the document was changed')
  const longer = { duration: 3600 }
  t.is(await ask('bob', 'cancel'), '403 not_your_reservation')
  t.is(await ask('bob', 'extend', longer), '403 not_your_reservation')
  t.is(await ask('alice', 'extend', longer), '200')
  t.is(await ask('alice', 'cancel'), '200')
  t.deepEqual(
    (await recorded()).map(({ type, data }) => [type, data.user_id]),
    [
      ['ReservationExtended', idOf('alice')],
      ['ReservationCancelled', idOf('alice')],
    ],
  )
})

test('a reservation whose document is falsified as cancelled can still be cancelled', async (t) => {
  const { ask, recorded } = await stage(t, "ended = 'cancelled'")
  t.is(await ask('alice', 'cancel'), '200')
  t.is((await recorded()).at(-1)?.type, 'ReservationCancelled')
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
