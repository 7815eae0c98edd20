import { setTimeout as delay } from 'node:timers/promises'
import { makeJoined } from '../../concurrency/once.ts'
import { within } from '../../concurrency/waits.ts'
import type { ClosedSession, OpenedSession } from '../../domain/session/decide.ts'
import type { Use } from '../probing.ts'
import type { ProcessOptions } from '../process.ts'
import { type AbandonedOptions, followAbandoned, isStillOpen } from './abandoned.ts'
import { makeRecorder, type Recorder, type RecorderOptions } from './recorder.ts'
import { asClosed, makeTracker, type Tracked, type Tracker, type TrackerOptions } from './tracker.ts'

export interface SessionsOptions
  extends Omit<RecorderOptions, 'mayRecord' | 'waitingMax'>,
    Omit<TrackerOptions, 'record' | 'reservationOf'>,
    Pick<AbandonedOptions, 'views'>,
    ProcessOptions {
  /** Sessions that the last run of this instance had not recorded, as it last saved them. */
  readonly leftover: readonly ClosedSession[]
  /** Saves what the next run must record if this one ends now. */
  readonly save: (sessions: Iterable<ClosedSession>) => Promise<void>
  /** Whether the service accepts commands. */
  readonly isServing: () => boolean
}

const SAVE_INTERVAL_MS = 10_000
/** Before recording is retried. */
const RETRY_DELAY_MS = 1_000
/** How long a stop waits for sessions to be recorded. The next start records the rest. */
const FINISH_TIMEOUT_MS = 2_000
/** Between attempts during a stop. */
const FINISH_INTERVAL_MS = 100

const trackedOf = ({ closed_at, connections, bytes_to_sut, bytes_from_sut, cause, ...session }: ClosedSession) =>
  ({
    ...{ session, connections, bytesToSut: bytes_to_sut, bytesFromSut: bytes_from_sut, open: 0, last: undefined },
    ...{ end: { closed_at, connections, bytes_to_sut, bytes_from_sut, cause }, isRecorded: false },
  }) satisfies Tracked

/** Makes the function that saves. It saves nothing while there is and was nothing to save. */
const makeSave = ({ save, clock, leftover }: SessionsOptions, unfinished: () => Iterable<Tracked>) => {
  let isEmpty = leftover.length === 0
  return async (): Promise<void> => {
    const sessions = [...new Set(unfinished())]
    if (sessions.length === 0 && isEmpty) return
    await save(Iterator.from(sessions).map((tracked) => asClosed(tracked, clock.now())))
    isEmpty = sessions.length === 0
  }
}

/** The SUT and the holder of a reservation; undefined if this log has none with this id. */
const makeReservationOf =
  ({ views }: Pick<SessionsOptions, 'views'>): TrackerOptions['reservationOf'] =>
  (id) => {
    const found = views.newest('reservation', id)
    return found && JSON.parse(found.document)
  }

/**
 * Adds what the last run left and the log does not have. Call it before sessions of this run are added. The log may be
 * another one, or restored from a backup.
 */
const addLeftover = ({ leftover, views }: SessionsOptions, add: (tracked: Tracked) => void): void => {
  const reservationOf = makeReservationOf({ views })
  for (const session of leftover) {
    const reservation = reservationOf(session.reservation_id)
    if (reservation?.sut_id !== session.sut_id || reservation.user_id !== session.user_id) continue
    const known = views.newest('session', session._id)
    if (known === undefined || isStillOpen(known.document)) {
      add({ ...trackedOf(session), isRecorded: known !== undefined })
    }
  }
}

/** Makes the function that does what is due. */
const makeTick = (options: SessionsOptions, tracker: Tracker, recorder: Recorder, save: () => Promise<void>) => {
  const { clock, sinceBoot, isServing, onError } = options
  const isFollowed = (session: OpenedSession): boolean => tracker.has(session) || recorder.has(session._id)
  const abandoned = followAbandoned({ ...options, now: clock.now, isFollowed })
  let [isLoaded, recordFrom, savedAt] = [false, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]

  const recordDue = async (): Promise<void> => {
    const isDone = await recorder.flush()
    if (!isDone) recordFrom = sinceBoot() + RETRY_DELAY_MS
    if (!isLoaded) isLoaded = await abandoned.load()
    // The clock may have jumped meanwhile.
    if (isLoaded && clock.mayRecord()) await abandoned.closeDue()
  }
  const record = makeJoined(() => recordDue().catch(onError))

  return {
    tick: (): void => {
      tracker.endGaps()
      const since = sinceBoot()
      if (Math.abs(since - savedAt) >= SAVE_INTERVAL_MS) {
        savedAt = since
        void save()
      }
      if (isServing() && clock.mayRecord() && since >= recordFrom) void record()
    },
    openInLog: abandoned.open,
    close: abandoned.close,
  }
}

/** Records sessions of the gateway's connections. */
export const makeSessions = (options: SessionsOptions) => {
  const { clock, instance, onError, wake, signal } = options
  let [hasBegun, isOverdue] = [false, false]
  const recorder = makeRecorder({ ...options, mayRecord: () => !isOverdue && clock.mayRecord() })
  const tracker = makeTracker({
    ...options,
    reservationOf: makeReservationOf(options),
    record: recorder.add,
  })
  const saveNow = makeSave(options, () => [...tracker.all(), ...recorder.waiting()])
  const save = makeJoined(() => saveNow().catch(onError))
  const flushAll = async (): Promise<void> => {
    while (!isOverdue && !(await recorder.flush().catch(onError))) await delay(FINISH_INTERVAL_MS)
  }
  const { tick, openInLog, close } = makeTick(options, tracker, recorder, save)

  return {
    connected: tracker.connected,
    counted: tracker.counted,
    disconnected: tracker.disconnected,
    /**
     * The session of a SUT that has connections here, or is open at another instance as the log shows it. Undefined
     * without one.
     */
    useOf: (sutId: string): Use | undefined => {
      const use = tracker.useOf(sutId)
      if (use !== undefined) return use
      // Those of this instance have connections only as long as the tracker knows any.
      const isOpenElsewhere = openInLog().some((session) => session.sut_id === sutId && session.instance !== instance)
      return isOpenElsewhere ? 'answering' : undefined
    },
    /** Whether a reservation has a session here, or one that waits to be recorded. */
    isUsed: (id: string): boolean =>
      tracker.isUsed(id) || Iterator.from(recorder.waiting()).some(({ session }) => session.reservation_id === id),
    /** Runs until the signal aborts. */
    run: async (): Promise<void> => {
      hasBegun = true
      addLeftover(options, recorder.add)
      while (!signal.aborted) {
        tick()
        await wake(signal)
      }
      close()
    },
    /** Ends every session and records what it can, once the gateway has stopped. */
    finish: async (): Promise<void> => {
      // What the last run left is still only where that saved it.
      if (!hasBegun) return
      tracker.endAll(clock.now())
      await save()
      await within(FINISH_TIMEOUT_MS, flushAll(), undefined)
      isOverdue = true
      await save()
    },
  }
}

export type Sessions = ReturnType<typeof makeSessions>
