/** A whole service that forwards to one SUT: unless it has a port, to one that only accepts. */

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { ExecutionContext } from 'ava'
import { type ClientOptions, WebSocket } from 'ws'
import { idOf, type Running, type Setting, start } from '../../http/harness.ts'
import { aSut, reserved } from '../../http/requests.ts'
import { until } from '../../http/until.ts'
import { freePort, gather, HOST, type Peer, startSut } from '../peers.ts'

export const NOW = '2030-05-02T06:02:00.000Z'
/** Milliseconds for what should happen at once, on a busy machine. */
export const SOON = 60_000

export interface Stage {
  readonly service: Running
  readonly listenPort: number
  readonly sutId: string
}

export const forwarding = async (
  t: ExecutionContext,
  sut: Readonly<Record<string, unknown>> = {},
  { environment, ...setting }: Setting = {},
): Promise<Stage> => {
  const listenPort = await freePort()
  const service = await start(t, {
    now: NOW,
    environment: { BERTH_GATEWAY: 'on', BERTH_LISTEN_PORTS: `${listenPort}-${listenPort}`, ...environment },
    ...setting,
  })
  const { json } = await service
    .as('admin')
    .post('/api/sut/create', aSut({ address: HOST, port: sut.port ?? (await startSut(t)).port, ...sut }))
  return { service, listenPort, sutId: String(json._id) }
}

export const QUARTER = { start_time: '2030-05-02T06:00:00Z', end_time: '2030-05-02T06:15:00Z' }
export const NEXT_QUARTER = { start_time: '2030-05-02T06:15:00Z', end_time: '2030-05-02T06:30:00Z' }

/** Reserves for alice. Returns the path of the reservation. */
export const reserveFor = async ({ service, sutId }: Stage, window: object = QUARTER, who = 'alice') => {
  const made = await reserved(service.as(who), { user_id: idOf('alice'), sut_id: sutId, ...window })
  return String(made.headers.location)
}

/** Waits until the port of a running reservation is open. */
export const opened = ({ service }: Pick<Stage, 'service'>, path: string, who = 'alice'): Promise<void> =>
  until(
    'the port is open',
    async () => {
      service.tick()
      return (await service.as(who).get(`${path}/connection`)).json.open === true
    },
    SOON,
  )

/** Reserves a running window, and waits until it is forwarded. */
export const running = async (stage: Stage): Promise<string> => {
  const path = await reserveFor(stage)
  await opened(stage, path)
  return path
}

export const ticketFor = async ({ service }: Pick<Stage, 'service'>, path: string, who = 'alice'): Promise<string> => {
  const { status, json, text } = await service.as(who).request('POST', `${path}/console`)
  if (status !== 200) throw new Error(text)
  return String(json.url)
}

/** A client of a console. */
export interface Viewer {
  readonly socket: WebSocket
  /** Bytes received so far. */
  readonly received: () => Buffer
  /** Resolves with exactly so many bytes, which are then taken. */
  readonly take: (bytes: number) => Promise<Buffer>
  /** The close code, once it is closed. */
  readonly closed: Promise<number>
}

const viewer = (socket: WebSocket): Viewer => {
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  const { add, received, take } = gather(async (left) => {
    const ended = await Promise.race([once(socket, 'message').then(() => undefined), closed])
    if (ended !== undefined) throw new Error(`closed with ${ended} after ${left} bytes`)
  })
  socket.on('message', (bytes) => add(bytes as Buffer)).on('error', () => undefined)
  return { socket, received, closed, take }
}

/** A WebSocket that is open, or was refused. */
export type Opened = Viewer | { readonly refused: number; readonly body: string }

export const openAt = async (
  t: ExecutionContext,
  { service }: { readonly service: Pick<Running, 'url'> },
  url: string,
  options: ClientOptions = {},
  protocols: string[] = [],
): Promise<Opened> => {
  const socket = new WebSocket(service.url.replace('http', 'ws') + url, protocols, options)
  t.teardown(() => socket.terminate())
  const opened = viewer(socket)
  const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
    let body = ''
    for await (const chunk of response as IncomingMessage) body += chunk
    return { refused: (response as IncomingMessage).statusCode ?? 0, body }
  })
  return Promise.race([once(socket, 'open').then(() => opened), refused])
}

export type Refused = readonly [status: number, code: unknown]

/** What comes of an attempt to open a console. */
export const tryAt = async (...args: Parameters<typeof openAt>): Promise<Viewer | Refused> => {
  const opened = await openAt(...args)
  return 'refused' in opened ? [opened.refused, JSON.parse(opened.body).code] : opened
}

export const INVALID = [403, 'ticket_invalid'] as const
export const isOpen = (viewer: Viewer | Refused): boolean => 'socket' in viewer

/** Opens a console. */
export const consoleOf = async (
  t: ExecutionContext,
  stage: Stage,
  path: string,
  ...more: [ClientOptions?, string[]?]
): Promise<Viewer> => {
  const opened = await openAt(t, stage, await ticketFor(stage, path), ...more)
  if ('refused' in opened) throw new Error(opened.body)
  return opened
}

export interface Connected extends Viewer {
  readonly machine: Peer
  readonly stage: Stage
  readonly path: string
}

/** A console of a SUT that has no password: bytes pass unchanged. */
export const connected = async (t: ExecutionContext, setting: Setting = {}): Promise<Connected> => {
  const sut = await startSut(t)
  const stage = await forwarding(t, { port: sut.port }, setting)
  const path = await running(stage)
  const viewer = await consoleOf(t, stage, path)
  const machine = await sut.accepted()
  // The system has accepted the connection, which the gateway may not know yet.
  const isKnown = async (): Promise<boolean> =>
    (await stage.service.as('alice').get(`${path}/connection`)).json.connections === 1
  await until('the connection is known', isKnown, SOON)
  return { ...viewer, stage, path, machine }
}
