import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type ClientAddresses, networkOf, peerOf } from '../protocol/client-address.ts'
import type { RequestQueues } from './pipelining.ts'

/** How many connections there may be at once; more are closed as they come. */
export interface ConnectionsMax {
  /** About 10 KB each while they idle. */
  readonly all: number
  /** From one address (IPv6: one /64) that is no trusted proxy. */
  readonly ofNetwork: number
}

const CONNECTIONS_MAX: ConnectionsMax = { all: 8_192, ofNetwork: 2_048 }
/** Milliseconds between two attempts to close what has become idle. */
const CLOSE_IDLE_EVERY = 20

interface ConnectionOptions {
  readonly queues: RequestQueues
  readonly addresses: ClientAddresses
  readonly isEncrypted: boolean
  readonly connectionsMax?: ConnectionsMax | undefined
  /** Milliseconds within which a client must have taken an answer that stands ready, and between two looks at it. */
  readonly patience: { readonly answer: number; readonly look: number }
}

export interface Connections {
  /** Whether HTTP is spoken on it: an encrypted one has agreed on its keys. */
  readonly isHttpReady: (socket: Socket) => boolean
  /** Takes no new ones and lets requests under way be answered, for so many milliseconds at most. */
  readonly close: (within: number) => Promise<void>
}

/** Bounds how many there are from one network. */
const boundNetworks = (server: Server, { trusts }: ClientAddresses, max: number): void => {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    if (trusts(peer)) return
    const network = networkOf(peer)
    const count = (counts.get(network) ?? 0) + 1
    counts.set(network, count)
    socket.once('close', () => {
      const left = (counts.get(network) ?? 1) - 1
      if (left > 0) counts.set(network, left)
      else counts.delete(network)
    })
    if (count > max) socket.destroy()
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

/** Cuts off clients that leave their answers lying; returns the end of it. */
const cutOffSlowReaders = (speaking: ReadonlySet<Socket>, { queues, patience }: ConnectionOptions): (() => void) => {
  const waited = new WeakMap<object, number>()
  const timer = setInterval(() => {
    for (const socket of speaking) {
      const response = queues.open(socket)[0]?.response
      if (!response?.writableEnded) continue
      const since = (waited.get(response) ?? 0) + patience.look
      if (since > patience.answer) socket.destroy()
      waited.set(response, since)
    }
  }, patience.look)
  timer.unref()
  return () => clearInterval(timer)
}

/** What tells the two ends of an encrypted connection's stream, raw and decrypted, to be the same. */
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
    // What Node does not call idle, though nothing was ever asked on it.
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
      // An answer that had begun before still keeps its connection.
      const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY)
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
