import { createServer, type IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http'
import { createServer as createEncryptedServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { isForConsole } from '../console/handshake.ts'
import type { Upgraded } from '../protocol/call.ts'
import type { ClientAddresses } from '../protocol/client-address.ts'
import { linger } from '../response/unread-body.ts'
import { type Certificate, type Pair, TLS } from './certificate.ts'
import { type ConnectionsMax, watchConnections } from './connections.ts'

export type Handle = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Collects requests that arrive in one turn of the event loop and handles them together. Each step then runs for all of
 * them with warm CPU caches, and their responses leave in a row while the client is awake.
 */
export const handleInBursts = (handle: Handle): Handle => {
  let arrived: (readonly [IncomingMessage, ServerResponse])[] = []
  const burst = (): void => {
    const requests = arrived
    arrived = []
    for (const [request, response] of requests) handle(request, response)
  }
  return (request, response) => {
    arrived.push([request, response])
    if (arrived.length === 1) setImmediate(burst)
  }
}

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
  /** Hands all later requests to another handler. */
  readonly setHandler: (handle: Handle) => void
  /** Refuses new connections and drains requests, for at most so many milliseconds. */
  readonly close: (within: number) => Promise<void>
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly addresses: ClientAddresses
  /** If set, connections are encrypted. */
  readonly certificate?: Certificate | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  readonly connectionsMax?: ConnectionsMax | undefined
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

/** What has arrived after each request that is to be upgraded. */
const heads = new WeakMap<IncomingMessage, Buffer>()

/**
 * Hands on the requests that are to be upgraded as if they were not: they may be refused like any other. Node no longer
 * handles their sockets. A client that has not waited for earlier responses is disconnected.
 */
const handUpgrades = (server: Server, handle: Handle, isWaiting: (socket: Socket) => boolean): void => {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // An unhandled error event would end the process.
    socket.on('error', () => socket.destroy())
    if (isWaiting(socket)) return void socket.destroy()
    heads.set(request, head)
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => linger(socket))
    handle(request, response)
  })
}

/** The connection of a request that is to be upgraded. */
export const upgradedOf = (request: IncomingMessage, response: ServerResponse): Upgraded | undefined => {
  const head = heads.get(request)
  if (head === undefined) return undefined
  return { head, takeOver: () => response.detachSocket(request.socket) }
}

/** Listens; resolves when connections are accepted. */
export const listen = async (handle: Handle, options: ListenOptions): Promise<Listening> => {
  const { host, certificate, addresses, connectionsMax } = options
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  let handler = handle
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
    shouldUpgradeCallback: isForConsole,
  }
  const server = serverOf(certificate, limits, timeouts)
  server.maxHeadersCount = FIELDS_MAX
  const connections = watchConnections(server, { addresses, connectionsMax, timeouts })
  const take: Handle = (request, response) => {
    const { socket } = request
    // Chunks are parsed one by one, however small. Accept no more until somebody reads the body.
    if (!request.complete && request.headers['transfer-encoding'] !== undefined) socket.pause()
    // A busy client would otherwise keep its connection during a stop, and be cut off in the end.
    if (!server.listening && !connections.isWaiting(socket)) response.shouldKeepAlive = false
    connections.begin(socket, response)
    handler(request, response)
  }
  server.on('request', take)
  // 100 Continue is sent where the body is read, unless the request is refused.
  server.on('checkContinue', take)
  // The application refuses unknown expectations.
  server.on('checkExpectation', take)
  handUpgrades(server, take, connections.isWaiting)
  await bind(server, options)
  const { address, port } = server.address() as AddressInfo
  const setHandler: Listening['setHandler'] = (to) => {
    handler = to
  }
  return { host, port, isLoopback: /^(::ffff:)?127\.|^::1$/.test(address), setHandler, close: connections.close }
}
