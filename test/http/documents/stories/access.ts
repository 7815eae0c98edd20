import type { Example } from '../../../../src/http/documents/openapi/examples.ts'
import { freePorts, HOST, startSut } from '../../../gateway/peers.ts'
import type { Tidying } from '../../harness.ts'
import { aReservation, createSut, reserved } from '../../requests.ts'
import { exchange, openRaw } from '../../server/raw-http.ts'
import { until } from '../../until.ts'
import { keepRefusal, makeAsk, startStory } from './story.ts'

/** Reaching a SUT, at a service whose gateway has room for one connection. */

const CONNECTION = 'GET /api/sut_reservation/:id/connection'
const OPEN = 'POST /api/sut_reservation/:id/console'
const CONNECT = 'GET /api/console/:ticket'

const upgrade = (path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`

const INSTANCE = '018fc4d7-3a98-7f3c-9b1e-2f60d1c5a7e4'
/** Shows the usual ports, and a ticket that says nothing. */
const shown = (example: Example, port: number): Example => {
  const body = { ...(example.body as Readonly<Record<string, unknown>>) }
  if (body.port === port) body.port = 20_000
  if (typeof body.url === 'string') body.url = '/api/console/WyI2N...ICJd.q2Zk...PT0'
  // What is recorded at the start takes random bits, too.
  if ('instance' in body) body.instance = INSTANCE
  return { ...example, body }
}

export const tellAccess = async (t: Tidying): Promise<readonly Example[]> => {
  const examples: Example[] = []
  const [port = 0] = await freePorts(4)
  const service = await startStory(t, {
    environment: {
      BERTH_GATEWAY: 'on',
      BERTH_GATEWAY_PUBLIC_HOST: 'berth.lab.example',
      BERTH_GATEWAY_CONNECTIONS_MAX: '1',
      BERTH_GATEWAY_SUTS: 'site=berlin',
      BERTH_LISTEN_PORTS: `${port}-${port + 3}`,
    },
  })
  const admin = service.as('admin')
  const silent = await startSut(t)
  const aSutAt = async (more: object, site: string): Promise<string> => {
    const id = await createSut(admin, { address: HOST, port: silent.port, ...more })
    await admin.post(`/api/sut/${id}/tags`, { site })
    return id
  }
  const ask = makeAsk(service, examples)
  const reservedOn = async (sut: string, window: object = { start_in: 0, duration: 600 }): Promise<string> => {
    const body = { user_id: aReservation(sut).user_id, sut_id: sut, ...window }
    return String((await reserved(service.as('alice'), body)).json._id)
  }
  const sut = await aSutAt({}, 'berlin')
  const at = await reservedOn(sut)
  service.tick()
  const { url } = await ask(OPEN, 'Of a running reservation', { at, who: 'alice' })
  const path = CONNECTION.slice(4).replace(':id', at)
  await until('the port is open', async () => (await service.as('alice').get(path)).json.open === true, 60_000)
  await ask(CONNECTION, 'Of a running reservation', { at, who: 'alice' })
  const later = await reservedOn(sut, { start_in: 3_600, duration: 600 })
  await ask(OPEN, 'It starts in an hour', { at: later, who: 'alice' })
  const desktop = await reservedOn(await aSutAt({ sut_type: 'rdp' }, 'berlin'))
  await ask(OPEN, 'It is reached over RDP', { at: desktop, who: 'alice' })
  const elsewhere = await reservedOn(await aSutAt({}, 'paris'))
  await ask(OPEN, 'Another instance forwards it', { at: elsewhere, who: 'alice' })
  await ask(CONNECT, 'No WebSocket', { at: 'ticket', who: '' })
  keepRefusal(examples, CONNECT, 'An unknown ticket', await exchange(service.port, upgrade('/api/console/ticket')))
  const connection = await openRaw(service.port)
  t.teardown(connection.close)
  connection.send(upgrade(String(url)))
  const { status } = (await connection.answer()) ?? {}
  if (status !== 101) throw new Error(`the console answered ${status}`)
  const other = await reservedOn(await aSutAt({}, 'berlin'))
  service.tick()
  const isOpen = async () =>
    (await service.as('alice').get(CONNECTION.slice(4).replace(':id', other))).json.open === true
  await until('the other port is open', isOpen, 60_000)
  const ticket = await service.as('alice').request('POST', `/api/sut_reservation/${other}/console`)
  const full = await exchange(service.port, upgrade(String(ticket.json.url)))
  keepRefusal(examples, CONNECT, 'The gateway is full', full)
  return examples.map((example) => shown(example, port))
}
