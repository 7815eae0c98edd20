import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Tidying } from '../http/harness.ts'

export const HOST = '127.0.0.1'

/**
 * Below the ports that systems give to clients and to servers that ask for any: none of these takes it meanwhile. And not
 * of `BERTH_LISTEN_PORTS`, where Berth connects to nothing.
 */
const [LOWEST, HIGHEST] = [10_000, 19_999]

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  const isBound = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen({ port, host: HOST, exclusive: true }, () => resolve(true))
  })
  if (isBound) await new Promise((resolve) => server.close(resolve))
  return isBound
}

/** So many ports in a row that were free a moment ago. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  for (;;) {
    const first = randomInt(LOWEST, HIGHEST - count)
    const ports = Array.from({ length: count }, (_, n) => first + n)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return ports
  }
}

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => (await freePorts(1))[0] as number

export interface Sut {
  readonly port: number
  /** Accepted so far. */
  readonly sockets: readonly Socket[]
  readonly accepted: (index?: number) => Promise<Peer>
}

/** One side of a connection, as tests look at it. */
export interface Peer {
  readonly socket: Socket
  /** Everything received so far. */
  readonly received: () => Buffer
  /** Resolves with exactly so many bytes, which are then taken. */
  readonly take: (bytes: number) => Promise<Buffer>
  /** How the other side ended it: `end` at a FIN, `reset` at an RST. */
  readonly ending: Promise<'end' | 'reset'>
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>
}

/** Reads everything that arrives. */
export const peer = (socket: Socket): Peer => {
  const chunks: Buffer[] = []
  let taken = 0
  const { promise: ending, resolve } = Promise.withResolvers<'end' | 'reset'>()
  const closed = new Promise<void>((done) => socket.once('close', () => done()))
  socket.on('error', () => resolve('reset')).once('end', () => resolve('end'))
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const received = (): Buffer => Buffer.concat(chunks)
  return {
    socket,
    received,
    take: async (bytes) => {
      while (received().length < taken + bytes) {
        if (socket.destroyed || socket.readableEnded) throw new Error(`ended after ${received().length - taken} bytes`)
        await Promise.race([once(socket, 'data'), ending])
      }
      taken += bytes
      return received().subarray(taken - bytes, taken)
    },
    ending,
    closed,
  }
}

/** A SUT on a port from the system. Without a handler it only accepts. */
export const startSut = async (t: Tidying, handle?: (socket: Socket) => void): Promise<Sut> => {
  const sockets: Socket[] = []
  const peers: Peer[] = []
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    if (handle === undefined) peers.push(peer(socket))
    else handle(socket)
    server.emit('accepted')
  }).listen(0, HOST)
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    accepted: async (index = 0) => {
      while (peers[index] === undefined) await once(server, 'accepted')
      return peers[index]
    },
  }
}

/** Connects; the handshake of TCP is complete even where Berth then refuses. */
export const connectTo = async (t: Tidying, port: number, host = HOST): Promise<Peer> => {
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
  t.teardown(() => void socket.destroy())
  const connected = peer(socket)
  await Promise.race([once(socket, 'connect'), connected.ending])
  return connected
}
