import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createEncryptedServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { isForConsole } from '../console/handshake.ts'
import type { ClientAddresses } from '../protocol/client-address.ts'
import type { Handle } from './bursts.ts'
import { type Certificate, type Pair, TLS } from './certificate.ts'
import { type ConnectionsMax, watchConnections } from './connections.ts'
import { handUpgrades } from './upgraded.ts'

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
  const upgrade: Handle = (request, response) => {
    // A stop closes connections that have sent no request.
    connections.begin(request.socket, response)
    handler(request, response)
  }
  handUpgrades(server, upgrade, connections.isWaiting)
  await bind(server, options)
  const { address, port } = server.address() as AddressInfo
  const setHandler: Listening['setHandler'] = (to) => {
    handler = to
  }
  return { host, port, isLoopback: /^(::ffff:)?127\.|^::1$/.test(address), setHandler, close: connections.close }
}
