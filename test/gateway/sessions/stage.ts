/** Sessions of whole services, with connections through the real gateway. */

import { connect, type Socket } from 'node:net'
import { aVaultKey } from '../../event-store/eventstoredb/service/instances.ts'
import { idOf, type Running, type Setting, start, type Tidying } from '../../http/harness.ts'
import { aSut, reserved } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { freePorts, HOST, type Sut, startSut } from '../peers.ts'

export const NOW = '2030-05-02T06:02:00.000Z'
/** The end of the reservation. */
export const END = '2030-05-02T07:15:00.000Z'
export const SOON = 60_000

/** What is used of a service, which may be in another process. */
export type Service = Pick<Running, 'as' | 'tick' | 'data' | 'anyone'>

/** A SUT that answers each chunk with twice as many bytes. */
export const aDoublingSut = (t: Tidying): Promise<Sut> =>
  startSut(t, (socket) => {
    socket.on('data', (data: Buffer) => socket.write(Buffer.concat([data, data])))
    socket.on('end', () => socket.end())
  })

/** What services that forward so many SUTs are configured with. Requests may name the address that they come from. */
export const anEnvironment = async (suts = 1) => {
  const ports = await freePorts(suts)
  const [port = 0] = ports
  const environment = {
    BERTH_GATEWAY: 'on',
    BERTH_LISTEN_PORTS: `${port}-${ports.at(-1)}`,
    BERTH_TRUSTED_PROXIES: HOST,
    BERTH_VAULT_KEY: aVaultKey(),
  }
  return { port, environment }
}

/** Creates the SUT. */
export const putSut = async (service: Service, { port }: Sut): Promise<string> => {
  const sut = { ...aSut(), address: HOST, port, sut_type: 'tcp' }
  return String((await service.as('admin').post('/api/sut/create', sut)).json._id)
}

/** Alice reserves it, from now to `END`. */
export const reserveIt = async (service: Service, sut_id: string): Promise<string> =>
  String(
    (await reserved(service.as('alice'), { user_id: idOf('alice'), sut_id, start_in: 0, duration: 3_600 })).json._id,
  )

/** A service, unless told how another one is started, and a running reservation of Alice's. */
export const given = async <A extends Service = Running>(
  t: Tidying,
  launch: (setting: Setting) => Promise<A> = (setting) => start(t, setting) as Promise<Running & A>,
) => {
  const { port, environment } = await anEnvironment()
  const service = await launch({ now: NOW, environment })
  const sut = await aDoublingSut(t)
  const sut_id = await putSut(service, sut)
  return { t, service, port, environment, sut, sut_id, reservation: await reserveIt(service, sut_id) }
}
export type Stage<A extends Service = Running> = Awaited<ReturnType<typeof given<A>>>

/** Lets services look at the clock as long as a test runs. */
export const tickAlways = (t: Tidying, services: readonly Pick<Running, 'tick'>[]): void => {
  const ticking = setInterval(() => {
    for (const { tick } of services) tick()
  }, 50)
  t.teardown(() => clearInterval(ticking))
}

/** Resolves at the end of a socket, whatever ended it. */
export const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

/** Waits until all of them are closed, whatever ends them. */
export const allClosed = (sockets: readonly Socket[]): Promise<void> =>
  until('the connections are closed', async () => sockets.every(({ destroyed }) => destroyed), SOON)

/** Connects once: a socket through which an answer has come, or undefined. */
export const tryToConnect = async (port: number, sent = 'abc', host = HOST): Promise<Socket | undefined> => {
  const socket = connect(port, host)
  socket.on('error', () => undefined)
  socket.write(sent)
  let received = 0
  const answer = new Promise<true>((resolve) => {
    socket.on('data', (data: Buffer) => {
      received += data.length
      if (received === 2 * sent.length) resolve(true)
    })
  })
  return (await Promise.race([answer, closeOf(socket).then(() => false)])) ? socket : undefined
}

/** Connects, and resolves once an answer has come through. */
export const connected = async (
  { service, port, host }: { readonly service: Pick<Service, 'tick'>; readonly port: number; readonly host?: string },
  sent = 'abc',
): Promise<Socket> => {
  let socket: Socket | undefined
  await until(
    'a client is connected',
    async () => {
      service.tick()
      socket = await tryToConnect(port, sent, host)
      return socket !== undefined
    },
    SOON,
  )
  return socket as Socket
}

/** Resolves when the service knows that nobody is connected any more: the clock must not move before. */
export const nobodyConnected = (service: Service): Promise<void> => {
  const isKnown = async (): Promise<boolean> =>
    /^berth_gateway_connections 0$/m.test((await service.as('admin').get('/metrics')).text)
  return until('the end of the connection is known', isKnown, SOON)
}

export const hangUp = async (service: Service, socket: Socket): Promise<void> => {
  const closed = closeOf(socket)
  socket.end()
  await closed
  await nobodyConnected(service)
}

/** The clock stands still, but the gateway takes some milliseconds to report. */
export const isJustBefore = (time: string, moment: string): boolean => {
  const age = Date.parse(moment) - Date.parse(time)
  return age >= 0 && age < SOON
}

export type Listed = { readonly count: number; readonly sessions: readonly Record<string, unknown>[] }

export const sessionsOf = async (service: Service, query = '', who = 'audrey'): Promise<Listed> =>
  (await service.as(who).get(`/api/session${query}`)).json as unknown as Listed

export const becomes = async (service: Service, what: string, holds: (listed: Listed) => boolean): Promise<Listed> => {
  let listed: Listed | undefined
  await until(
    what,
    async () => {
      service.tick()
      listed = await sessionsOf(service)
      return holds(listed)
    },
    SOON,
  )
  return listed as Listed
}
export const isClosed = ({ sessions: [session] }: Listed): boolean =>
  session !== undefined && session.closed_at !== null
