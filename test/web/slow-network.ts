import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Tidying } from '../http/harness.ts'

/** A network between a browser and the service that is slow and loses connections. */
export interface SlowNetwork {
  readonly port: number
  /** Connections that were cut so far. */
  readonly lost: () => number
}

interface Options {
  /** Milliseconds that each piece of data takes, in either direction. */
  readonly delay: number
  /** Every so many pieces of data a connection is cut, from the first such on. */
  readonly losesEvery: number
}

export const startSlowNetwork = async (
  t: Tidying,
  to: number,
  { delay, losesEvery }: Options,
): Promise<SlowNetwork> => {
  const sockets = new Set<Socket>()
  let [pieces, lost] = [0, 0]
  const server = createServer((client) => {
    const service = connect({ port: to, host: '127.0.0.1' })
    const cut = (): void => {
      client.destroy()
      service.destroy()
    }
    for (const socket of [client, service]) {
      sockets.add(socket)
      socket.on('error', cut).on('close', cut)
    }
    const pass = (from: Socket, into: Socket): void => {
      from.on('data', (piece) => {
        pieces += 1
        if (pieces % losesEvery === 0) {
          lost += 1
          cut()
        } else setTimeout(() => into.write(piece), delay)
      })
    }
    pass(client, service)
    pass(service, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, lost: () => lost }
}
