import { createServer, type IncomingMessage, type Server, type ServerOptions } from 'node:http'
import { createServer as createEncryptedServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { makeEventId, type RandomHex } from '../../domain/values/ids.ts'
import type { ClientAddresses } from '../protocol/client-address.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import { notImplemented } from '../request/request-head.ts'
import { type Certificate, type Pair, TLS } from './certificate.ts'
import { type ConnectionsMax, watchConnections } from './connections.ts'
import { type Handle, makeRequestQueues } from './pipelining.ts'
import { refuseRaw } from './refuse-raw.ts'
import { handUpgrades, type Upgrades } from './upgrades.ts'

/** Bytes of the request line and header fields together. */
const HEADERS_MAX = 32 * 1024
/** Header fields per request. */
const FIELDS_MAX = 100
/** Timeouts for clients, in milliseconds. */
export interface Timeouts {
  /** For the header fields, and for a TLS handshake. */
  readonly headers: number
  /** For the whole request. */
  readonly request: number
  /** For a client to take a complete response. */
  readonly answer: number
  /** For the next request on an idle connection; longer than most proxies keep theirs. */
  readonly idle: number
  /** The interval between checks. */
  readonly checkInterval: number
}

const TIMEOUTS: Timeouts = { headers: 10_000, request: 30_000, answer: 30_000, idle: 65_000, checkInterval: 1_000 }

export interface Listening {
  readonly host: string
  readonly port: number
  /** Whether only this machine can connect. */
  readonly isLoopback: boolean
  /** Hands all later requests to another handler, and connections that leave HTTP to `upgrades`. */
  readonly setHandlers: (handle: Handle, upgrades?: Upgrades) => void
  /** Refuses new connections and drains requests, for at most so many milliseconds. */
  readonly close: (within: number) => Promise<void>
}

const malformed = (): Refusal => refusal('malformed_request', 'The request is not valid HTTP/1.1.')

const refusalOf = (error: Error & { code?: string; reason?: string }, timeouts: Timeouts): Refusal => {
  const [header, whole] = [timeouts.headers / 1000, timeouts.request / 1000]
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal('headers_too_large', `The header exceeds ${HEADERS_MAX} bytes or ${FIELDS_MAX} fields.`)
    case 'HPE_INVALID_TRANSFER_ENCODING':
      // Together with a Content-Length the request itself is malformed.
      return error.reason?.includes('Content-Length') ? malformed() : notImplemented()
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal('request_timeout', `A request must arrive within ${whole} s, and its header within ${header} s.`)
    default:
      return malformed()
  }
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly clock: () => number
  readonly randomHex: RandomHex
  readonly addresses: ClientAddresses
  /** If set, connections are encrypted. */
  readonly certificate?: Certificate | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  readonly connectionsMax?: ConnectionsMax | undefined
  readonly upgrades?: Upgrades | undefined
  /** Called for what was refused before it became a request. */
  readonly onRefused?: (refused: Refusal, instance: string, socket: Socket) => void
  /** Called for each connection that Node reports as not accepted. With libuv 1.52 it retries instead. */
  readonly onAcceptError?: (error: Error) => void
}

const secretsOf = ({ certificate, key }: Pair) => ({ cert: certificate, key, ...TLS }) as const

const serverOf = (certificate: Certificate | undefined, limits: ServerOptions, timeouts: Timeouts): Server => {
  if (certificate === undefined) return createServer(limits)
  const encrypted = { ...limits, ...secretsOf(certificate.current()), handshakeTimeout: timeouts.headers }
  const server = createEncryptedServer(encrypted)
  certificate.onChange((pair) => server.setSecureContext(secretsOf(pair)))
  return server
}

/** Resolves when the server accepts connections. */
const bind = (server: Server, { host, port, onAcceptError }: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      // From now on an error is a connection that was not accepted. Without a listener it would end the process.
      server.off('error', reject).on('error', (error) => onAcceptError?.(error))
      resolve()
    })
  })

/** Listens; resolves when connections are accepted. */
export const listen = async (handle: Handle, options: ListenOptions): Promise<Listening> => {
  const { host, certificate, addresses, connectionsMax, clock, randomHex } = options
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  let [handler, upgrades] = [handle, options.upgrades]
  const limits = {
    maxHeaderSize: HEADERS_MAX,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.checkInterval,
    keepAliveTimeout: timeouts.idle,
    // The application refuses a missing Host, with a body.
    requireHostHeader: false,
    // Requests without a body get no stream that would have to be consumed.
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: (request: IncomingMessage) => upgrades?.accepts(request) === true,
  }
  const server = serverOf(certificate, limits, timeouts)
  server.maxHeadersCount = FIELDS_MAX
  const queues = makeRequestQueues((request, response) => {
    // Close after this response at shutdown: a busy client would otherwise keep its connection, and be cut off in the
    // end.
    if (!server.listening && queues.open(request.socket).length === 1) response.shouldKeepAlive = false
    handler(request, response)
  })
  const isEncrypted = certificate !== undefined
  const connections = watchConnections(server, { queues, addresses, isEncrypted, connectionsMax, timeouts })
  const refuse = (socket: Socket, refused: Refusal, accept?: string): void => {
    const instance = makeEventId(clock(), randomHex(10))
    if (refuseRaw(socket, refused, instance, accept)) options.onRefused?.(refused, instance, socket)
  }
  server.on('request', queues.take)
  // 100 Continue is sent where the body is read, unless the request is refused.
  server.on('checkContinue', queues.take)
  // The application refuses unknown expectations.
  server.on('checkExpectation', queues.take)
  server.on('clientError', (error, stream) => {
    const socket = stream as Socket
    // Without a completed handshake nobody can read a response.
    if (!connections.isHttpReady(socket)) return void socket.destroy()
    queues.afterResponses(socket, () => refuse(socket, refusalOf(error, timeouts)))
  })
  handUpgrades(server, () => upgrades, queues)
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node no longer handles this socket: an unhandled error event would end the process.
    socket.on('error', () => socket.destroy())
    socket.resume()
    const refused = refusal('malformed_request', 'Berth is not a proxy.')
    queues.afterResponses(socket, () => refuse(socket, refused, request.headers.accept))
  })
  await bind(server, options)
  const { address, port } = server.address() as AddressInfo
  const setHandlers: Listening['setHandlers'] = (to, leaving) => {
    handler = to
    upgrades = leaving
  }
  return { host, port, isLoopback: /^(::ffff:)?127\.|^::1$/.test(address), setHandlers, close: connections.close }
}
