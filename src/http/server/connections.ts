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
  readonly connectionsMax?: ConnectionsMax | undefined
  /** Milliseconds a client has to take a complete response, and between checks of that. */
  readonly timeouts: { readonly answer: number; readonly checkInterval: number }
}

/** The open connections; of an encrypted one, that which carries it. */
const trackSockets = (server: Server, { addresses, connectionsMax = CONNECTIONS_MAX }: ConnectionOptions) => {
  server.maxConnections = connectionsMax.all
  const turns = makeTurns({ limit: connectionsMax.ofAddress })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const peer = peerOf(socket)
    if (addresses.trusts(peer)) return
    if (!turns.isFree(peer)) return void socket.destroy()
    turns.acquire(peer)
    socket.once('close', () => turns.release(peer))
  })
  return sockets
}

type Responses = ReadonlyMap<Socket, ReadonlySet<ServerResponse>>

/** Disconnects clients that do not read their responses. Returns the function that stops this. */
const cutOffSlowReaders = (responses: Responses, { timeouts }: ConnectionOptions): (() => void) => {
  const waited = new WeakMap<object, number>()
  const timer = setInterval(() => {
    for (const [socket, [response]] of responses) {
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

/** Limits connections, and closes them in the end. */
export const watchConnections = (server: Server, options: ConnectionOptions) => {
  const sockets = trackSockets(server, options)
  /** The responses of each connection that have not been sent, in order. One that has sent no request is not here. */
  const responses = new Map<Socket, Set<ServerResponse>>()
  const stopCutting = cutOffSlowReaders(responses, options)
  return {
    /** Notes a response that is to be sent. */
    begin: (socket: Socket, response: ServerResponse): void => {
      let waiting = responses.get(socket)
      if (waiting === undefined) {
        waiting = new Set()
        responses.set(socket, waiting)
        socket.once('close', () => responses.delete(socket))
      }
      if (waiting.add(response).size > PIPELINED_MAX) socket.destroy()
      response.on('close', () => waiting.delete(response))
    },
    /** Whether responses are still to be sent on a connection. */
    isWaiting: (socket: Socket): boolean => (responses.get(socket)?.size ?? 0) > 0,
    /** Refuses new connections and drains requests, for at most so many milliseconds. */
    close: async (within: number): Promise<void> => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const waiting of responses.values()) {
        const last = [...waiting].at(-1)
        if (last !== undefined) last.shouldKeepAlive = false
      }
      // Node does not count a connection without any request as idle.
      const heard = new Set([...responses.keys()].map(remoteEnd))
      for (const socket of sockets) if (!heard.has(remoteEnd(socket))) socket.destroy()
      // A response begun before shutdown still keeps its connection alive.
      const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS)
      const late = setTimeout(() => {
        server.closeAllConnections()
        for (const socket of sockets) socket.destroy()
      }, within)
      await closed
      clearInterval(idle)
      clearTimeout(late)
      stopCutting()
    },
  }
}
