import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Actor } from '../domain/decider.ts'
import { type Assignment, listenPortDecider } from '../domain/listen-port/decide.ts'
import { sutDecider } from '../domain/sut/decide.ts'
import { LISTEN_PORTS_STREAM, sutStream } from '../domain/values/ids.ts'
import type { Clock } from '../domain/values/units.ts'
import type { Runner } from './command-envelope.ts'

/** The actor of commands the service runs on its own. */
export const BERTH: Actor = { _id: 'berth', role: 'system' }

/** After which no retry completes a creation: an idempotency key is known for a day and a half at most. */
const UNFINISHED_FOR_MS = 2 * 86_400_000
/** Assignments checked per turn of the event loop. */
const TURN_SIZE = 100

/** Releases the port of a SUT that no longer needs it. If this fails, the next start does it. */
export const releasePort = (runner: Runner, sutId: string, requestId: string): Promise<unknown> =>
  runner.run(listenPortDecider, LISTEN_PORTS_STREAM, {
    command: { type: 'ReleaseListenPort', sut_id: sutId },
    actor: BERTH,
    requestId,
  })

interface SweepOptions {
  readonly runner: Runner
  readonly clock: Clock
  /** Status of a SUT in the views; undefined if its creation has not reached the second append. */
  readonly sutStatusOf: (sutId: string) => 'standing' | 'retired' | undefined
  readonly makeRequestId: () => string
}

/** Releases the ports of retired SUTs, and of creations that were broken off days ago, at a start. */
export const makeSweep = ({ runner, clock, sutStatusOf, makeRequestId }: SweepOptions) => {
  const close = async ({ sut_id, time }: Assignment): Promise<void> => {
    if (sutStatusOf(sut_id) === 'standing') return
    // In the SUT's own stream: documents alone are no reason to record anything.
    const status = await runner.inspect(sutDecider, sutStream(sut_id), (state) => state.status)
    const isBrokenOff = status !== 'retired' && status !== 'standing' && clock() - time > UNFINISHED_FOR_MS
    if (status === 'retired' || isBrokenOff) await releasePort(runner, sut_id, makeRequestId())
  }

  return async (): Promise<void> => {
    const assigned = await runner.inspect(listenPortDecider, LISTEN_PORTS_STREAM, (state) => state.assigned)
    for (const [i, assignment] of assigned.entries()) {
      await close(assignment)
      if (i % TURN_SIZE === 0) await nextTurn()
    }
  }
}
