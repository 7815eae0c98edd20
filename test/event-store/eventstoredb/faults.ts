import { setTimeout as delay } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import type { Random } from '../../process/random.ts'
import type { ProtocolServer } from './protocol/protocol-server.ts'
import { failure, notReady } from './protocol/wire.ts'

/** What goes wrong with a store for a moment, drawn from a seed. */

const failures = [
  failure(status.UNAVAILABLE, 'Server Is Shutting Down'),
  failure(status.INTERNAL, 'Received RST_STREAM with code 2'),
  failure(status.ABORTED, 'Forwarding timeout'),
  failure(status.CANCELLED, 'The operation was cancelled.'),
  failure(status.DEADLINE_EXCEEDED, 'Deadline exceeded'),
  failure(status.RESOURCE_EXHAUSTED, 'Too many'),
  failure(status.UNKNOWN, 'Exception was thrown by handler.'),
  notReady(),
]

type Hold = () => Promise<void>

/** One fault from its beginning to its end. */
type Fault = (server: ProtocolServer, random: Random, hold: Hold) => Promise<void>

/** Makes an append of the hold's time fail, and those of no later time. */
const failingAppends =
  (how: 'lost' | 'refused' | 'silent' | 'lost-silent'): Fault =>
  async (server, random, hold) => {
    let isOver = false
    server.faultAppends({
      how,
      failure: random.oneOf(failures),
      times: 1 + random.below(3),
      when: () => !isOver,
    })
    await hold()
    isOver = true
    // Whoever would wait for an answer that never comes is told so.
    if (how.endsWith('silent')) server.dropConnections()
  }

export const FAULTS = {
  down: async (server, _, hold) => {
    await server.stop()
    await hold()
    await server.start()
  },
  slow: async (server, random, hold) => {
    server.delayAnswers(1 + random.below(20))
    await hold()
    server.delayAnswers(0)
  },
  lost: failingAppends('lost'),
  'lost and never answered': failingAppends('lost-silent'),
  refused: failingAppends('refused'),
  'never answered': failingAppends('silent'),
  reset: async (server) => server.dropConnections(),
  restart: (server) => server.restart(),
  'subscriptions ended': async (server, random) => {
    server.endSubscriptions(random.oneOf(failures))
    server.failNext('subscription', random.oneOf(failures), random.below(2))
  },
  'reads failing': async (server, random) => {
    server.failNext('read', random.oneOf(failures), 1 + random.below(3))
    server.failNext('features', random.oneOf(failures), random.below(2))
  },
  frozen: async (server, _, hold) => {
    server.freeze()
    await hold()
    server.thaw()
  },
  'not ready': async (server, _, hold) => {
    server.setReady(false)
    await hold()
    server.setReady(true)
  },
} satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof FAULTS

const NAMES = Object.keys(FAULTS) as FaultName[]

/** Milliseconds that a fault lasts at most, and that lie between two. */
const LASTS = 60
const BETWEEN = 25

/** Two to five faults one after the other, of all there are or of those given; which they were. */
export const befall = async (
  server: ProtocolServer,
  random: Random,
  among: readonly FaultName[] = NAMES,
): Promise<readonly FaultName[]> => {
  const names = Array.from({ length: 2 + random.below(4) }, () => random.oneOf(among))
  for (const name of names) {
    await delay(random.below(BETWEEN))
    const lasts = 1 + random.below(LASTS)
    await (FAULTS[name] as Fault)(server, random, () => delay(lasts))
  }
  return names
}
