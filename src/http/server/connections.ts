import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { makeTurns } from '../../concurrency/turns.ts'
import { type ClientAddresses, clientNetworkOf, peerOf } from '../protocol/client-address.ts'
import type { RequestQueues } from './pipelining.ts'

/** Limits on open connections; more are closed at once. */
export interface ConnectionsMax {
  /** In all; about 10 KB each while idle. */
  readonly all: number
  /** Per network (IPv4 address or IPv6 /64), except for trusted proxies. */
  readonly ofNetwork: number
}

const CONNECTIONS_MAX: ConnectionsMax = { all: 8_192, ofNetwork: 2_048 }
/** Between attempts to close idle connections. */
const CLOSE_IDLE_INTERVAL_MS = 20

interface ConnectionOptions {
  readonly queues: RequestQueues
  readonly addresses: ClientAddresses
  readonly isEncrypted: boolean
  readonly connectionsMax?: ConnectionsMax | undefined
  /** Milliseconds a client has to take a complete response, and between checks of that. */
  readonly timeouts: { readonly answer: number; readonly checkInterval: number }
}

export interface Connections {
  /** Whether HTTP can be spoken: an encrypted connection has completed its handshake. */
  readonly isHttpReady: (socket: Socket) => boolean
  /** Refuses new connections and drains requests, for at most so many milliseconds. */
  readonly close: (within: number) => Promise<void>
}

/** Limits the connections per network. */
const boundNetworks = (server: Server, { trusts }: ClientAddresses, max: number): void => {
  const turns = makeTurns({ limit: max })
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    if (trusts(peer)) return
    const network = clientNetworkOf(peer)
    if (!turns.isFree(network)) return void socket.destroy()
    turns.acquire(network)
    socket.once('close', () => turns.release(network))
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

/** Disconnects clients that do not read their responses. Returns the function that stops this. */
const cutOffSlowReaders = (speaking: ReadonlySet<Socket>, { queues, timeouts }: ConnectionOptions): (() => void) => {
  const waited = new WeakMap<object, number>()
  const timer = setInterval(() => {
    for (const socket of speaking) {
      const response = queues.open(socket)[0]?.response
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
  const { queues, addresses, isEncrypted, connectionsMax = CONNECTIONS_MAX } = options
  server.maxConnections = connectionsMax.all
  boundNetworks(server, addresses, connectionsMax.ofNetwork)
  const raw = trackSockets(server, 'connection')
  const speaking = isEncrypted ? trackSockets(server, 'secureConnection') : raw
  const stopCutting = cutOffSlowReaders(speaking, options)

  const destroySilent = (): void => {
    const spoken = new Set([...speaking].map(remoteEnd))
    for (const socket of raw) if (!spoken.has(remoteEnd(socket))) socket.destroy()
    // Node does not count a connection without any request as idle.
    for (const socket of speaking) if (socket.bytesRead === 0) socket.destroy()
  }

  return {
    isHttpReady: (socket) => speaking.has(socket),
    close: async (within) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of speaking) {
        const newest = queues.open(socket).at(-1)
        if (newest !== undefined) newest.response.shouldKeepAlive = false
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
