import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { makeEventId, type RandomHex } from '../domain/ids.ts'
import { type Refusal, refusal } from './problem.ts'
import { makeTurns, refuseRaw } from './refuse-raw.ts'

/** Bytes of a request's line and header fields together. */
const HEADERS_MAX = 32 * 1024
/** How long clients are waited for, in milliseconds. */
export interface Patience {
  /** Within which the header fields must have come. */
  readonly headers: number
  /** Within which the whole request must have come. */
  readonly request: number
  /** Between two looks at who is late. */
  readonly look: number
}

const PATIENCE: Patience = { headers: 10_000, request: 30_000, look: 1_000 }
/** Milliseconds that an idle connection is kept; above what most proxies keep theirs. */
const KEEP_ALIVE = 65_000

export interface Listening {
  readonly host: string
  readonly port: number
  /** Takes no new connections and lets requests under way be answered, for so many milliseconds at most. */
  readonly close: (within: number) => Promise<void>
}

const refusalOf = (error: Error & { code?: string }, patience: Patience): Refusal => {
  const [header, whole] = [patience.headers / 1000, patience.request / 1000]
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal('headers_too_large', `The header has more than ${HEADERS_MAX} bytes.`)
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal('request_timeout', `A request must arrive within ${whole} s, its header within ${header} s.`)
    default:
      return refusal('malformed_request', 'This is not well-formed HTTP/1.1.')
  }
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly clock: () => number
  readonly randomHex: RandomHex
  readonly patience?: Patience | undefined
}

const serverOf = (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { clock, randomHex, patience = PATIENCE }: ListenOptions,
): Server => {
  const instance = (): string => makeEventId(clock(), randomHex(10))
  const server = createServer(
    {
      maxHeaderSize: HEADERS_MAX,
      headersTimeout: patience.headers,
      requestTimeout: patience.request,
      connectionsCheckingInterval: patience.look,
      keepAliveTimeout: KEEP_ALIVE,
      // A missing Host is refused by the application, with a body.
      requireHostHeader: false,
    },
    handle,
  )
  const turns = makeTurns()
  server.prependListener('request', turns.begun)
  server.on('clientError', (error, stream) => {
    const socket = stream as Socket
    turns.afterAnswers(socket, () => refuseRaw(socket, refusalOf(error, patience), instance()))
  })
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node has let go of this connection: an error of it that nobody hears would end the process.
    socket.on('error', () => socket.destroy())
    socket.resume()
    const refused = refusal('malformed_request', 'Berth is no proxy.')
    turns.afterAnswers(socket, () => refuseRaw(socket, refused, instance(), request.headers.accept))
  })
  // Refused by the application, like any other request that cannot be met.
  server.on('checkExpectation', handle)
  return server
}

/** What is open at the moment, so that it can be ended in order. */
interface Open {
  readonly sockets: ReadonlySet<Socket>
  readonly responses: ReadonlySet<ServerResponse>
}

const openOf = (server: Server): Open => {
  const sockets = new Set<Socket>()
  const responses = new Set<ServerResponse>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    // No longer kept alive: a busy client would otherwise be served on and on, and be cut off in the end.
    if (!server.listening) response.shouldKeepAlive = false
    responses.add(response)
    response.once('close', () => responses.delete(response))
  })
  return { sockets, responses }
}

const closeInOrder = async (server: Server, { sockets, responses }: Open, within: number): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const response of responses) response.shouldKeepAlive = false
  // What Node does not call idle, though nothing was ever asked on it.
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  // An answer that had begun before still keeps its connection.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const late = setTimeout(() => server.closeAllConnections(), within)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}

/** Listens; resolves when connections are taken. */
export const listen = async (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  options: ListenOptions,
): Promise<Listening> => {
  const server = serverOf(handle, options)
  const open = openOf(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    host: options.host,
    port,
    close: (within) => closeInOrder(server, open, within),
  }
}
