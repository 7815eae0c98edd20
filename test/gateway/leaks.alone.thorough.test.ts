import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { areClosed, openSockets } from './descriptors.ts'
import { startForwarded, startGateway } from './harness.ts'
import { connectTo, HOST, startSut } from './peers.ts'

test.serial(
  'connections cut while they shut down, or wait for a verdict or the SUT, leave no descriptor',
  async (t) => {
    // Closes when Berth does: SUTs that have just been reached see an end instead of a reset.
    const sut = await startSut(t, (socket) => void socket.resume().once('end', () => socket.destroy()))
    let isAnswering = false
    const { gateway, forward, see, reported } = startGateway(t, {
      connectionsOfOneMax: 1_000,
      admit: () =>
        isAnswering ? { admitted: true, isBound: true, hasPassword: false } : new Promise<never>(() => undefined),
    })
    const first = await forward(sut.port)
    const before = openSockets(t)?.size
    const waiting = await Promise.all(Array.from({ length: 100 }, () => connectTo(t, first.listenPort)))
    await see('the question', ({ asked }) => asked.length === 1)
    gateway.close(first.reservationId, 'released')
    for (const { ending } of waiting) t.is(await ending, 'reset')

    isAnswering = true
    for (let round = 0; round < 20; round++) {
      const { reservationId, listenPort } = await forward(sut.port)
      const clients = await Promise.all(Array.from({ length: 20 }, () => connectTo(t, listenPort)))
      for (const { socket } of clients) socket.end('the end of this direction')
      if (round % 2 === 0) await see('some connections', ({ connected }) => connected.length > 0)
      gateway.close(reservationId, 'released')
      await Promise.all(clients.map(({ closed, socket }) => socket.destroy() && closed))
    }
    await areClosed(t, before && before - 1)
    t.deepEqual(reported.errors, [])
  },
)

const STALLED = 24
/** Bytes that each SUT tries to send. */
const FLOOD = 40 * 2 ** 20
const CHUNK = Buffer.alloc(2 ** 20)

/** Sends as long as there is room. */
const pump = (socket: Socket): void => {
  let sent = 0
  const more = (): void => {
    while (sent < FLOOD && !socket.destroyed) {
      sent += CHUNK.length
      if (!socket.write(CHUNK)) return void socket.once('drain', more)
    }
  }
  more()
}

const ENOUGH = 100 * 2 ** 20

test.serial('clients that do not read stall their SUTs, and memory stays flat', async (t) => {
  const { sut, listenPort } = await startForwarded(t, { handle: pump })
  const sent = (): number => sut.sockets.reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0)
  const before = process.memoryUsage().rss
  const clients = Array.from({ length: STALLED }, () => connect({ host: HOST, port: listenPort }).pause())
  for (const client of clients) client.on('error', () => undefined)
  t.teardown(() => {
    for (const client of clients) client.destroy()
  })
  for (let last = -1; last !== sent() || sent() === 0; ) {
    last = sent()
    await delay(400)
  }
  const grown = process.memoryUsage().rss - before
  t.log(`${(grown / 2 ** 20).toFixed(0)} MiB`)
  t.true(grown < ENOUGH, `${grown} bytes`)
  t.true(sent() < STALLED * FLOOD, 'the SUTs are stalled')
})
