import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from '../../commands/order.ts'
import type { Actor } from '../../domain/decider.ts'
import { type SessionCommand, sessionDecider } from '../../domain/session/decide.ts'
import { sessionStream } from '../../domain/values/ids.ts'
import type { Tracked } from './tracker.ts'

/** The actor of sessions. */
export const GATEWAY: Actor = { _id: 'gateway', role: 'system' }

/** Maximum sessions waiting for their opening to be recorded, about 5 MB. Further ones are not recorded at all. */
const WAITING_MAX = 10_000
/** Concurrent commands, each for another SUT. */
const AT_ONCE = 25

export interface RecorderOptions {
  readonly runner: Pick<Runner, 'run'>
  readonly makeRequestId: () => string
  /** Called with a session that is not recorded because too many are waiting. */
  readonly onDropped: (tracked: Tracked) => void
  /** Called when nothing is waiting any more after that. */
  readonly onCaughtUp: () => void
  /** False while nothing may be recorded. */
  readonly mayRecord: () => boolean
  readonly waitingMax?: number
}

/** Records sessions in order. A session that cannot be recorded waits; forwarding does not. */
export interface Recorder {
  /** Adds a session that opened or ended. False if it will not be recorded because too many are waiting. */
  readonly add: (tracked: Tracked) => boolean
  /** Records what is waiting, or joins a call that does. Resolves to false if some of it must be retried. */
  readonly flush: () => Promise<boolean>
  readonly has: (sessionId: string) => boolean
  readonly waiting: () => Iterable<Tracked>
}

/** Runs a command on the sessions of a SUT. Resolves to whether it succeeded. */
export const makeRunSessionCommand =
  ({ runner, makeRequestId }: Pick<RecorderOptions, 'runner' | 'makeRequestId'>) =>
  async (sutId: string, command: SessionCommand): Promise<boolean> => {
    const order = { command, actor: GATEWAY, requestId: makeRequestId() }
    return E.isRight(await runner.run(sessionDecider, sessionStream(sutId), order)())
  }

/** The first of each SUT: an instance records its sessions of a SUT one after the other. */
const takeBatch = (waiting: Iterable<Tracked>): readonly Tracked[] => {
  const batch = new Map<string, Tracked>()
  for (const tracked of waiting) {
    if (!batch.has(tracked.session.sut_id)) batch.set(tracked.session.sut_id, tracked)
    if (batch.size === AT_ONCE) break
  }
  return [...batch.values()]
}

export const makeRecorder = (options: RecorderOptions): Recorder => {
  const { onDropped, onCaughtUp, mayRecord, waitingMax = WAITING_MAX } = options
  const run = makeRunSessionCommand(options)
  const waiting = new Map<string, Tracked>()
  let flushing: Promise<boolean> | undefined
  let hasDropped = false

  const record = async (tracked: Tracked): Promise<boolean> => {
    const { session, end, isRecorded } = tracked
    const command: SessionCommand =
      isRecorded && end !== undefined
        ? { type: 'CloseSession', _id: session._id, end }
        : { type: 'RecordSession', session, end }
    if (!(await run(session.sut_id, command))) return false
    tracked.isRecorded = true
    // It may have ended meanwhile.
    if (tracked.end === end) waiting.delete(session._id)
    return true
  }

  const flushAll = async (): Promise<boolean> => {
    while (waiting.size > 0) {
      if (!mayRecord()) return false
      const done = await Promise.all(takeBatch(waiting.values()).map(record))
      if (done.includes(false)) return false
    }
    if (hasDropped) onCaughtUp()
    hasDropped = false
    return true
  }

  return {
    add: (tracked) => {
      const isNew = tracked.end === undefined
      if (isNew && waiting.size >= waitingMax) {
        hasDropped = true
        onDropped(tracked)
        return false
      }
      waiting.set(tracked.session._id, tracked)
      return true
    },
    flush: () => {
      flushing ??= flushAll().finally(() => {
        flushing = undefined
      })
      return flushing
    },
    has: (id) => waiting.has(id),
    waiting: () => waiting.values(),
  }
}
