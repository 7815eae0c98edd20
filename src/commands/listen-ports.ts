import { setImmediate as nextTurn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Actor } from '../domain/decider.ts'
import { type Assignment, listenPortDecider } from '../domain/listen-port/decide.ts'
import { sutDecider } from '../domain/sut/decide.ts'
import { LISTEN_PORTS_STREAM, sutStream } from '../domain/values/ids.ts'
import type { Runner } from './command-envelope.ts'

/** The actor of commands the service runs on its own. */
export const BERTH: Actor = { _id: 'berth', role: 'system' }

/** Between the two appends of a creation before it is abandoned. */
const ABANDON_DELAY_MS = 60_000
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
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Status of a SUT in the views; undefined if its creation has not reached the second append. */
  readonly sutStatusOf: (sutId: string) => 'standing' | 'retired' | undefined
  readonly makeRequestId: () => string
}

/**
 * Releases orphaned ports, at a start. A creation with a port but no SUT is abandoned in the SUT's own stream, so that a late
 * creator is refused; then its port is released. The ports of retired SUTs are released too.
 */
export const makeSweep = ({ runner, clock, sutStatusOf, makeRequestId }: SweepOptions) => {
  const abandon = async ({ sut_id, listen_port }: Assignment): Promise<boolean> => {
    const command = { type: 'AbandonSutCreation', _id: sut_id, listen_port } as const
    const envelope = { command, actor: BERTH, requestId: makeRequestId() }
    const ended = await runner.run(sutDecider, sutStream(sut_id), envelope)
    return E.isRight(ended) && ended.right.state.status === 'abandoned'
  }

  /** Check the SUT's own stream: documents alone are no reason to record anything. */
  const isRetired = ({ sut_id }: Assignment): Promise<boolean> =>
    runner.inspect(sutDecider, sutStream(sut_id), ({ status }) => status === 'retired')

  const close = async (assignment: Assignment): Promise<void> => {
    const status = sutStatusOf(assignment.sut_id)
    if (status === 'standing') return
    const isOld = clock() - assignment.time > ABANDON_DELAY_MS
    if (status === 'retired' ? await isRetired(assignment) : isOld && (await abandon(assignment))) {
      await releasePort(runner, assignment.sut_id, makeRequestId())
    }
  }

  return async (): Promise<void> => {
    const assigned = await runner.inspect(listenPortDecider, LISTEN_PORTS_STREAM, (state) => state.assigned)
    for (const [i, assignment] of assigned.entries()) {
      await close(assignment)
      if (i % TURN_SIZE === 0) await nextTurn()
    }
  }
}
