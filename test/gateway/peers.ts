import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Tidying } from '../http/harness.ts'

export const HOST = '127.0.0.1'

/**
 * Below the ports that systems give to clients and to servers that ask for any: none of these takes it meanwhile. And not
 * of `BERTH_LISTEN_PORTS`, where Berth connects to nothing.
 */
const [LOWEST, HIGHEST] = [10_000, 19_999]

/** Ports in a row that a process gives to its tests, and no other process does. */
const OF_ONE = 200

/** Undefined if the port is taken. */
const listenOn = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined)).listen({ port, host: HOST, exclusive: true }, () => resolve(server))
  })

const isFree = async (port: number): Promise<boolean> => {
  const server = await listenOn(port)
  if (server !== undefined) await new Promise((resolve) => server.close(resolve))
  return server !== undefined
}

let [next, end] = [0, 0]
let taking: Promise<void> | undefined

/** Takes ports for as long as this process runs, which listens on the first of them: it may be long until a test does. */
const takePorts = async (): Promise<void> => {
  for (;;) {
    const first = LOWEST + OF_ONE * randomInt((HIGHEST + 1 - LOWEST) / OF_ONE)
    const server = await listenOn(first)
    if (server === undefined) continue
    server.unref()
    next = first + 1
    end = first + OF_ONE
    taking = undefined
    return
  }
}

/** So many ports in a row that were free a moment ago, and that are given to nobody else. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  for (;;) {
    while (next + count > end) {
      taking ??= takePorts()
      await taking
    }
    const ports = Array.from({ length: count }, (_, n) => next + n)
    next += count
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

/**
 * Gathers chunks, and takes so many bytes of them.
 *
 * @param more resolves when there may be more, and rejects after the end. It is told how many bytes have not been taken.
 */
export const gather = (more: (left: number) => Promise<unknown>) => {
  const chunks: Buffer[] = []
  let taken = 0
  const received = (): Buffer => Buffer.concat(chunks)
  return {
    add: (chunk: Buffer): void => void chunks.push(chunk),
    received,
    take: async (bytes: number): Promise<Buffer> => {
      while (received().length < taken + bytes) await more(received().length - taken)
      taken += bytes
      return received().subarray(taken - bytes, taken)
    },
  }
}

/** Reads everything that arrives. */
export const peer = (socket: Socket): Peer => {
  const { add, received, take } = gather(async (left) => {
    if (socket.destroyed || socket.readableEnded) throw new Error(`ended after ${left} bytes`)
    await Promise.race([once(socket, 'data'), ending])
  })
  const { promise: ending, resolve } = Promise.withResolvers<'end' | 'reset'>()
  const closed = new Promise<void>((done) => socket.once('close', () => done()))
  socket.on('error', () => resolve('reset')).once('end', () => resolve('end'))
  socket.on('data', add)
  return { socket, received, take, ending, closed }
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
