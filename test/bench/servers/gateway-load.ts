import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { quantile } from '../measure/processes.ts'

/** Load on forwarded ports, and the servers that they lead to, both in this process. */

const host = '127.0.0.1'
const FLOOD = Buffer.alloc(2 ** 18)

const listen = async (handle: (socket: Socket) => void): Promise<number> => {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined)
    handle(socket)
  }).listen(0, host, 511)
  await once(server, 'listening')
  server.unref()
  return (server.address() as AddressInfo).port
}

const flood = (socket: Socket): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(FLOOD));
  }
  socket.on('drain', more)
  more()
}

/** A server that sends all it can, one that greets with a byte, and one that echoes. */
export const startTargets = async (): Promise<readonly number[]> =>
  Promise.all([listen(flood), listen((socket) => socket.write('x')), listen((socket) => socket.pipe(socket))])

/** Connections that are open and read all they get. */
export interface Readers {
  /** Bytes so far. */
  readonly received: () => number
  readonly close: () => Promise<void>
}

export const openReaders = async (port: number, connections: number): Promise<Readers> => {
  let received = 0
  const buffer = Buffer.alloc(2 ** 18)
  const callback = (bytes: number): boolean => {
    received += bytes
    return true
  }
  const sockets = Array.from({ length: connections }, () => connect({ port, host, onread: { buffer, callback } }))
  for (const socket of sockets) socket.on('error', () => undefined)
  await delay(200)
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.resetAndDestroy()
    await delay(100)
  }
  return { received: () => received, close }
}

/** Megabytes a second that some connections receive together. */
export const throughput = async (port: number, connections: number, seconds: number): Promise<number> => {
  const { received, close } = await openReaders(port, connections)
  const [before, began] = [received(), performance.now()]
  await delay(seconds * 1_000)
  const rate = (received() - before) / 1_000 / (performance.now() - began)
  await close()
  return rate
}

/** Connections a second that are greeted and reset, some at a time. */
export const newConnections = async (port: number, atATime: number, seconds: number): Promise<number> => {
  const began = performance.now()
  const end = began + seconds * 1_000
  let done = 0
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const socket = connect({ port, host })
      await once(socket, 'data')
      socket.resetAndDestroy()
      done++
    }
  }
  await Promise.all(Array.from({ length: atATime }, one))
  return (done * 1_000) / (performance.now() - began)
}

/** The median round trip of a byte in microseconds. */
export const roundTrip = async (port: number, seconds: number): Promise<number> => {
  const socket = connect({ port, host, noDelay: true })
  await once(socket, 'connect')
  const times: number[] = []
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    const began = performance.now()
    const { promise, resolve } = Promise.withResolvers<unknown>()
    socket.once('data', resolve)
    socket.write('x')
    await promise
    times.push((performance.now() - began) * 1_000)
  }
  socket.destroy()
  return quantile(times, 0.5)
}
