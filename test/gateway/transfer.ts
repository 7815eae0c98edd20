import { createHash, randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { ConnectionEnd } from '../../src/gateway/messages.ts'
import type { Tidying } from '../http/harness.ts'
import { startGateway } from './harness.ts'
import { connectTo, startSut } from './peers.ts'

const CHUNK = 2 ** 20

/** Sends chunks of random bytes, with back-pressure; resolves with their hash. */
const send = async (socket: Socket, size: number): Promise<string> => {
  const hash = createHash('sha1')
  for (let sent = 0; sent < size; sent += CHUNK) {
    const chunk = randomFillSync(Buffer.allocUnsafe(CHUNK))
    hash.update(chunk)
    if (!socket.write(chunk)) await new Promise((resolve) => socket.once('drain', resolve))
  }
  socket.end()
  return hash.digest('hex')
}

const receive = async (socket: Socket): Promise<string> => {
  const hash = createHash('sha1')
  // An iterator would destroy the socket at the end of this direction.
  socket.on('data', (chunk: Buffer) => hash.update(chunk))
  await once(socket, 'end')
  return hash.digest('hex')
}

/** Sends so many bytes each way at once through one connection. The size is a multiple of 1 MiB. */
export const transferBothWays = async (
  t: Tidying,
  size: number,
): Promise<{ readonly problems: readonly string[]; readonly counted: ConnectionEnd | undefined }> => {
  const { promise: accepted, resolve } = Promise.withResolvers<Socket>()
  const sut = await startSut(t, (socket) => resolve(socket))
  const { forward, see, reported } = startGateway(t)
  const { socket } = await connectTo(t, (await forward(sut.port)).listenPort)
  socket.removeAllListeners('data')
  const machine = await accepted
  const transfers = [send(socket, size), receive(machine), send(machine, size), receive(socket)]
  const [sent, arrived, sentBack, arrivedBack] = await Promise.all(transfers)
  await see('the end', ({ disconnected }) => disconnected.length === 1)
  const problems = [
    ...(arrived === sent ? [] : ['the SUT received other bytes than were sent']),
    ...(arrivedBack === sentBack ? [] : ['the client received other bytes than were sent']),
  ]
  return { problems, counted: reported.disconnected[0] }
}
