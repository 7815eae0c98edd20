import test from 'ava'
import { makeRandom, type Random, seedOf } from '../../process/random.ts'
import { areClosed, openSockets } from '../descriptors.ts'
import { startForwarded } from '../harness.ts'
import { connectTo, type Peer } from '../peers.ts'
import { line } from './speakers.ts'

const HANDSHAKES = 5_000
const AT_A_TIME = 100
const REASON = [0, 0, 0, 4, 1, 2, 3, 4]

/** Messages of a right handshake, for mutation. */
const RIGHT = {
  client: ['3.3', '3.7', '3.8'].map((version) => Buffer.from(`${line(version)}\x01\x01the rest`)),
  sut: [
    Buffer.concat([Buffer.from(line('3.8')), Buffer.from([1, 2]), Buffer.alloc(16, 7), Buffer.from([0, 0, 0, 0])]),
    Buffer.concat([
      Buffer.from(line('3.8')),
      Buffer.from([2, 1, 2]),
      Buffer.alloc(16),
      Buffer.from([0, 0, 0, 1, ...REASON]),
    ]),
    Buffer.concat([Buffer.from(line('3.7')), Buffer.from([0, ...REASON])]),
    Buffer.concat([Buffer.from(line('3.3')), Buffer.from([0, 0, 0, 2]), Buffer.alloc(16), Buffer.from([0, 0, 0, 0])]),
    Buffer.concat([Buffer.from(line('3.3')), Buffer.from([0, 0, 0, 0, 255, 255, 255, 255, 65])]),
  ],
}

/** A right handshake with some bytes changed, cut off or added; or anything. */
const malformed = ({ below, oneOf }: Random, right: readonly Buffer[]): Buffer => {
  const bytes = Buffer.from(oneOf(right))
  const anything = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256)))
  if (below(8) === 0) return anything(below(200))
  for (let changes = below(4); changes > 0; changes--) bytes[below(bytes.length)] = oneOf([0, 1, 2, 255, below(256)])
  const end = below(3) === 0 ? below(bytes.length) : bytes.length
  return Buffer.concat([bytes.subarray(0, end), anything(oneOf([0, 0, 1, 5_000]))])
}

/** Sends it in pieces, and then ends, resets, or waits. */
const play = ({ below, oneOf }: Random, { socket }: Peer, bytes: Buffer): void => {
  for (let place = 0; place < bytes.length; ) {
    const next = place + 1 + below(oneOf([2, 20, 10_000]))
    socket.write(bytes.subarray(place, next))
    place = next
  }
  const then = oneOf(['end', 'reset', 'wait'] as const)
  if (then === 'end') socket.end()
  else if (then === 'reset') socket.resetAndDestroy()
}

test.serial(
  `${HANDSHAKES} malformed handshakes from either side leave the worker alive, and no descriptor`,
  async (t) => {
    const random = makeRandom(seedOf(process.env))
    t.log(`SEED=${random.seed}`)
    const { sut, listenPort, reported } = await startForwarded(t, {
      forwarding: { protocol: 'vnc' },
      connectionsOfOneMax: AT_A_TIME * 4,
      handshakeTimeoutMs: 30,
      admit: () => ({ admitted: true, isBound: true, hasPassword: true }),
      answerChallenge: () => new Uint8Array(16),
    })
    const before = openSockets(t)?.size
    let served = 0
    let isOver = false
    /** Every SUT that is reached: malformed, whatever the client is. */
    const serve = async (): Promise<void> => {
      for (;;) {
        const machine = await sut.accepted(served++)
        // Berth tries again for a second where a machine may be in use.
        if (isOver) machine.socket.destroy()
        else play(random, machine, malformed(random, RIGHT.sut))
      }
    }
    serve()
    for (let done = 0; done < HANDSHAKES; done += AT_A_TIME) {
      const clients = await Promise.all(Array.from({ length: AT_A_TIME }, () => connectTo(t, listenPort)))
      for (const client of clients) {
        const isMalformed = random.below(2) === 0
        play(random, client, isMalformed ? malformed(random, RIGHT.client) : random.oneOf(RIGHT.client))
      }
      // Those that got through would wait for ever.
      await Promise.all(
        clients.map(async ({ socket, ending, closed }) => {
          await Promise.race([ending, new Promise((resolve) => setTimeout(resolve, 100))])
          socket.destroy()
          await closed
        }),
      )
    }
    isOver = true
    for (const socket of sut.sockets) socket.destroy()
    t.true(served > HANDSHAKES / 4, `${served} SUTs were reached`)
    t.true(reported.connected.length > 0, 'some got through')
    t.true(new Set(reported.failed).size > 1, 'control: the failures differ')
    t.deepEqual(reported.errors, [])
    await areClosed(t, before)
  },
)
