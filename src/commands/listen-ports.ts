import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Actor } from '../domain/decider.ts'
import { type Assignment, listenPortDecider } from '../domain/listen-port/decide.ts'
import { sutDecider } from '../domain/sut/decide.ts'
import { LISTEN_PORTS_STREAM, sutStream } from '../domain/values/ids.ts'
import type { Runner } from './order.ts'

/** Who does what nobody asked for. */
export const BERTH: Actor = { _id: 'berth', role: 'system' }

/** Milliseconds that a creation may take between its two appends before it is given up. */
const ABANDON_AFTER = 60_000
/** Assignments looked at in one turn of the event loop. */
const TURN_SIZE = 100

/** Gives back the port of a SUT that will never need it again. What fails here is done by the next sweep. */
export const releasePort = (runner: Runner, sutId: string, requestId: string): Promise<unknown> =>
  runner.run(listenPortDecider, LISTEN_PORTS_STREAM, {
    command: { type: 'ReleaseListenPort', sut_id: sutId },
    actor: BERTH,
    requestId,
  })()

interface SweepOptions {
  readonly runner: Runner
  /** Unix milliseconds. */
  readonly clock: () => number
  /** What the views say of a SUT: nothing where its creation has not come to its second append. */
  readonly sutStatusOf: (sutId: string) => 'standing' | 'retired' | undefined
  readonly makeRequestId: () => string
}

/**
 * Closes what a crash between two appends left open: a creation that got a port but no SUT is abandoned in the SUT's own
 * stream, so that a late creator is refused, and then its port goes back; so does the port of a SUT that was retired.
 */
export const makeSweep = ({ runner, clock, sutStatusOf, makeRequestId }: SweepOptions) => {
  const abandon = async ({ sut_id, listen_port }: Assignment): Promise<boolean> => {
    const command = { type: 'AbandonSutCreation', _id: sut_id, listen_port } as const
    const order = { command, actor: BERTH, requestId: makeRequestId() }
    const ended = await runner.run(sutDecider, sutStream(sut_id), order)()
    return E.isRight(ended) && ended.right.state.status === 'abandoned'
  }

  /** As its own stream has it: nothing is recorded because a document says so. */
  const isRetired = async ({ sut_id }: Assignment): Promise<boolean> =>
    (await runner.stateOf(sutDecider, sutStream(sut_id))).status === 'retired'

  const close = async (assignment: Assignment): Promise<void> => {
    const standing = sutStatusOf(assignment.sut_id)
    if (standing === 'standing') return
    const isOld = clock() - assignment.time > ABANDON_AFTER
    if (standing === 'retired' ? await isRetired(assignment) : isOld && (await abandon(assignment))) {
      await releasePort(runner, assignment.sut_id, makeRequestId())
    }
  }

  return async (): Promise<void> => {
    const { assigned } = await runner.stateOf(listenPortDecider, LISTEN_PORTS_STREAM)
    for (const [i, assignment] of assigned.entries()) {
      await close(assignment)
      if (i % TURN_SIZE === 0) await nextTurn()
    }
  }
}

/** Milliseconds between two sweeps. */
const SWEEP_EVERY = 60_000
/** Milliseconds between two looks at whether it may be swept: after a start the views catch up within a moment. */
const POLL_EVERY = 100

/** Sweeps now and every minute until it is stopped, as long as `mayRun` says that the views have caught up. */
export const startSweeping = (
  sweep: () => Promise<void>,
  mayRun: () => boolean,
  onError: (error: unknown) => void,
): { stop: () => Promise<void> } => {
  const stop = new AbortController()
  const swept = (async () => {
    while (!stop.signal.aborted) {
      const runs = mayRun()
      if (runs) await sweep().catch(onError)
      await delay(runs ? SWEEP_EVERY : POLL_EVERY, undefined, { signal: stop.signal, ref: false }).catch(
        () => undefined,
      )
    }
  })()
  return {
    stop: () => {
      stop.abort()
      return swept
    },
  }
}
