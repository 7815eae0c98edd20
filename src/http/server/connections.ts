import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { makeTurns } from '../../concurrency/turns.ts'
import { type ClientAddresses, peerOf } from '../protocol/client-address.ts'

/** Limits on open connections; more are closed at once. */
export interface ConnectionsMax {
  /** In all; about 10 KB each while idle. */
  readonly all: number
  /** Per address, except for trusted proxies. */
  readonly ofAddress: number
}

const CONNECTIONS_MAX: ConnectionsMax = { all: 8_192, ofAddress: 2_048 }
/** Requests of a connection at once. They are handled together, and a client that reads nothing keeps all responses. */
const PIPELINED_MAX = 100
/** Between attempts to close idle connections. */
const CLOSE_IDLE_INTERVAL_MS = 20

interface ConnectionOptions {
  readonly addresses: ClientAddresses
  readonly isEncrypted: boolean
  readonly connectionsMax?: ConnectionsMax | undefined
  /** Milliseconds a client has to take a complete response, and between checks of that. */
  readonly timeouts: { readonly answer: number; readonly checkInterval: number }
}

export interface Connections {
  /** Notes a response that is to be sent. */
  readonly begin: (socket: Socket, response: ServerResponse) => void
  /** Whether responses are still to be sent on a connection. */
  readonly isWaiting: (socket: Socket) => boolean
  /** Refuses new connections and drains requests, for at most so many milliseconds. */
  readonly close: (within: number) => Promise<void>
}

/** Limits the connections per address. */
const boundAddresses = (server: Server, { trusts }: ClientAddresses, max: number): void => {
  const turns = makeTurns({ limit: max })
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    if (trusts(peer)) return
    if (!turns.isFree(peer)) return void socket.destroy()
    turns.acquire(peer)
    socket.once('close', () => turns.release(peer))
  })
}

const trackSockets = (server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** The responses of each connection that have not been sent, in order. */
const trackResponses = () => {
  const bySocket = new Map<Socket, Set<ServerResponse>>()
  const responsesOf = (socket: Socket): Set<ServerResponse> => {
    const known = bySocket.get(socket)
    if (known !== undefined) return known
    const responses = new Set<ServerResponse>()
    bySocket.set(socket, responses)
    socket.once('close', () => bySocket.delete(socket))
    return responses
  }
  return {
    isWaiting: (socket: Socket): boolean => responsesOf(socket).size > 0,
    all: () => [...bySocket].map(([socket, responses]) => ({ socket, responses: [...responses] })),
    begin: (socket: Socket, response: ServerResponse): void => {
      const responses = responsesOf(socket)
      if (responses.add(response).size > PIPELINED_MAX) socket.destroy()
      response.once('close', () => responses.delete(response))
    },
  }
}
type Responses = ReturnType<typeof trackResponses>

/** Disconnects clients that do not read their responses. Returns the function that stops this. */
const cutOffSlowReaders = (responses: Responses, { timeouts }: ConnectionOptions): (() => void) => {
  const waited = new WeakMap<object, number>()
  const timer = setInterval(() => {
    for (const {
      socket,
      responses: [response],
    } of responses.all()) {
      if (!response?.writableEnded) continue
      const since = (waited.get(response) ?? 0) + timeouts.checkInterval
      if (since > timeouts.answer) socket.destroy()
      waited.set(response, since)
    }
  }, timeouts.checkInterval)
  timer.unref()
  return () => clearInterval(timer)
}

/** Identifies a connection: the raw and the decrypted socket share it. */
const remoteEnd = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

export const watchConnections = (server: Server, options: ConnectionOptions): Connections => {
  const { addresses, isEncrypted, connectionsMax = CONNECTIONS_MAX } = options
  server.maxConnections = connectionsMax.all
  boundAddresses(server, addresses, connectionsMax.ofAddress)
  const raw = trackSockets(server, 'connection')
  const speaking = isEncrypted ? trackSockets(server, 'secureConnection') : raw
  const responses = trackResponses()
  const stopCutting = cutOffSlowReaders(responses, options)

  const destroySilent = (): void => {
    const spoken = new Set([...speaking].map(remoteEnd))
    for (const socket of raw) if (!spoken.has(remoteEnd(socket))) socket.destroy()
    // Node does not count a connection without any request as idle.
    for (const socket of speaking) if (socket.bytesRead === 0) socket.destroy()
  }

  return {
    begin: responses.begin,
    isWaiting: responses.isWaiting,
    close: async (within) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const waiting of responses.all()) {
        const last = waiting.responses.at(-1)
        if (last !== undefined) last.shouldKeepAlive = false
      }
      destroySilent()
      // A response begun before shutdown still keeps its connection alive.
      const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS)
      const late = setTimeout(() => {
        server.closeAllConnections()
        for (const socket of raw) socket.destroy()
      }, within)
      await closed
      clearInterval(idle)
      clearTimeout(late)
      stopCutting()
    },
  }
}
