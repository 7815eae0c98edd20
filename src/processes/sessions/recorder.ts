import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from '../../commands/command-envelope.ts'
import { orUnavailable } from '../../commands/failures.ts'
import { findHeld } from '../../commands/find-held.ts'
import { makeJoined } from '../../concurrency/once.ts'
import type { Actor } from '../../domain/decider.ts'
import { type OpenedSession, type SessionCommand, sessionDecider } from '../../domain/session/decide.ts'
import { sessionStream } from '../../domain/values/ids.ts'
import { makeRecordNow, type RecordingOptions } from '../process.ts'
import type { Tracked } from './tracker.ts'

export const GATEWAY: Actor = { _id: 'gateway', role: 'system' }

/** Maximum sessions waiting for their opening to be recorded, about 5 MB. Further ones are not recorded at all. */
const WAITING_MAX = 10_000
/** SUTs whose sessions are recorded at once. */
const BATCH_SIZE = 25

export interface RecorderOptions extends RecordingOptions {
  readonly runner: Pick<Runner, 'run' | 'inspect'>
  /** Called with a session that is not recorded because too many are waiting. */
  readonly onDropped: (tracked: Tracked) => void
  /** Called when nothing is waiting any more after that. */
  readonly onCaughtUp: () => void
  readonly waitingMax?: number
}

/** Runs a command on the sessions of a SUT. Resolves to whether it succeeded. */
export const makeRunSessionCommand = (options: RecordingOptions) => {
  const recordNow = makeRecordNow(options)
  return async (sutId: string, command: SessionCommand): Promise<boolean> =>
    (await recordNow(sessionDecider, sessionStream(sutId), command, GATEWAY)) !== undefined
}

/** Makes the function that records what is known of a session. Resolves to false if it must be tried again. */
const makeRecord = (options: RecorderOptions, waiting: Map<string, Tracked>) => {
  const run = makeRunSessionCommand(options)
  /**
   * The session with the holder that the log names. Its user comes from a document, which counts only once the SUT's
   * state no longer has the reservation. Undefined while the store cannot be read.
   */
  const withHolder = async (session: OpenedSession): Promise<OpenedSession | undefined> => {
    const { sut_id, reservation_id } = session
    const held = await orUnavailable(async () => E.right(await findHeld(options.runner, sut_id, reservation_id)))
    return E.isLeft(held) ? undefined : { ...session, ...(held.right && { user_id: held.right.user_id }) }
  }
  return async (tracked: Tracked): Promise<boolean> => {
    const { end, isRecorded } = tracked
    const isClosed = isRecorded && end !== undefined
    const session = isClosed ? tracked.session : await withHolder(tracked.session)
    if (session === undefined) return false
    const command: SessionCommand = isClosed
      ? { type: 'CloseSession', _id: session._id, end }
      : { type: 'RecordSession', session, end }
    if (!(await run(session.sut_id, command))) return false
    tracked.isRecorded = true
    // It may have ended meanwhile.
    if (tracked.end === end) waiting.delete(session._id)
    return true
  }
}

/** Records sessions in order. A session that cannot be recorded waits; forwarding does not. */
export const makeRecorder = (options: RecorderOptions) => {
  const { onDropped, onCaughtUp, clock, waitingMax = WAITING_MAX } = options
  const waiting = new Map<string, Tracked>()
  const record = makeRecord(options, waiting)
  let hasDropped = false

  /** An instance records its sessions of a SUT one after the other. Those of others are not held up by one that fails. */
  const recordOfSut = async (sessions: readonly Tracked[]): Promise<void> => {
    for (const tracked of sessions) if (!(await record(tracked))) return
  }
  const flushAll = async (): Promise<boolean> => {
    const bySut = [...Map.groupBy(waiting.values(), ({ session }) => session.sut_id).values()]
    for (let n = 0; n < bySut.length && clock.mayRecord(); n += BATCH_SIZE)
      await Promise.all(bySut.slice(n, n + BATCH_SIZE).map(recordOfSut))
    if (waiting.size > 0) return false
    if (hasDropped) onCaughtUp()
    hasDropped = false
    return true
  }

  return {
    /** Adds a session that opened or ended. False if it will not be recorded because too many are waiting. */
    add: (tracked: Tracked): boolean => {
      const isNew = tracked.end === undefined
      if (isNew && waiting.size >= waitingMax) {
        hasDropped = true
        onDropped(tracked)
        return false
      }
      waiting.set(tracked.session._id, tracked)
      return true
    },
    /** Records what is waiting, or joins a call that does. Resolves to whether nothing is left. */
    flush: makeJoined(flushAll),
    has: (sessionId: string): boolean => waiting.has(sessionId),
    waiting: (): Iterable<Tracked> => waiting.values(),
  }
}
