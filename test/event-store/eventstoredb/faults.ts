/** Temporary store faults, drawn from a seed. */

import { setTimeout as delay } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import type { Random } from '../../process/random.ts'
import type { ProtocolServer } from './protocol/protocol-server.ts'
import { failure, notReady } from './protocol/wire.ts'

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

/** One fault from start to end. */
type Fault = (server: ProtocolServer, random: Random, hold: Hold) => Promise<void>

/** Makes appends fail, but only during the hold. */
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
    // Fail the calls that would otherwise wait for an answer forever.
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

type FaultName = keyof typeof FAULTS

const NAMES = Object.keys(FAULTS) as FaultName[]

/** Maximum duration of a fault and of the pause between two, in milliseconds. */
const LASTS = 60
const BETWEEN = 25

/** Applies two to five faults in sequence; returns their names. */
export const befall = async (server: ProtocolServer, random: Random): Promise<readonly FaultName[]> => {
  const names = Array.from({ length: 2 + random.below(4) }, () => random.oneOf(NAMES))
  for (const name of names) {
    await delay(random.below(BETWEEN))
    const lasts = 1 + random.below(LASTS)
    await (FAULTS[name] as Fault)(server, random, () => delay(lasts))
  }
  return names
}
