import { setTimeout as delay } from 'node:timers/promises'
import type { ClosedSession, Session } from '../../domain/session/decide.ts'
import type { ProcessClock } from '../clock.ts'
import { type AbandonedOptions, followAbandoned, isStillOpen } from './abandoned.ts'
import { makeRecorder, type Recorder, type RecorderOptions } from './recorder.ts'
import { asClosed, makeTracker, type Tracked, type Tracker, type TrackerOptions } from './tracker.ts'

export interface SessionsOptions
  extends Omit<RecorderOptions, 'mayRecord' | 'waitingMax'>,
    Omit<TrackerOptions, 'record' | 'reservationOf'>,
    Pick<AbandonedOptions, 'views'> {
  readonly clock: ProcessClock
  /** What an earlier run of this instance had not recorded when it was last seen. */
  readonly left: readonly ClosedSession[]
  /** Keeps what a next run is to record if this one ends now. */
  readonly keep: (sessions: Iterable<ClosedSession>) => Promise<void>
  /** Whether commands are decided. */
  readonly isOpen: () => boolean
  readonly onError: (error: unknown) => void
  /** Resolves when to look at the clock again. */
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

/** Records sessions of the gateway's connections. */
export interface Sessions extends Pick<Tracker, 'connected' | 'counted' | 'disconnected'> {
  /** Whether a session of a SUT is open: here, or at another instance as the log shows it. */
  readonly isInUse: (sutId: string) => boolean
  /** Runs until the signal aborts. */
  readonly run: () => Promise<void>
  /** Ends every session and records what it can, once the gateway has stopped. */
  readonly finish: () => Promise<void>
}

/** Milliseconds between writes of the file. */
const KEEP_EVERY = 10_000
/** Milliseconds before recording is tried again. */
const AGAIN_AFTER = 1_000
/** Milliseconds that a stop waits for sessions to be recorded. The next start records the others. */
const FINISH_WITHIN = 2_000
/** Milliseconds between its attempts. */
const FINISH_EVERY = 100

const trackedOf = ({ closed_at, connections, bytes_to_sut, bytes_from_sut, cause, ...session }: ClosedSession) =>
  ({
    ...{ session, connections, bytesToSut: bytes_to_sut, bytesFromSut: bytes_from_sut, open: 0, last: undefined },
    ...{ end: { closed_at, connections, bytes_to_sut, bytes_from_sut, cause }, isRecorded: false },
  }) satisfies Tracked

/** Runs something unless it is still running. */
const makeOneAtATime = (act: () => Promise<void>, onError: (error: unknown) => void) => {
  let running: Promise<void> | undefined
  return (): Promise<void> => {
    running ??= act()
      .catch(onError)
      .finally(() => {
        running = undefined
      })
    return running
  }
}

/** Makes the function that keeps the file. Nothing is written while it would stay empty. */
const makeKeep = ({ keep, clock, left }: SessionsOptions, unfinished: () => Iterable<Tracked>) => {
  let isEmpty = left.length === 0
  return async (): Promise<void> => {
    const sessions = [...new Set(unfinished())]
    if (sessions.length === 0 && isEmpty) return
    await keep(Iterator.from(sessions).map((tracked) => asClosed(tracked, clock.now())))
    isEmpty = sessions.length === 0
  }
}

/** The SUT and the holder of a reservation; undefined if this log has none of this id. */
const makeReservationOf =
  ({ views }: Pick<SessionsOptions, 'views'>): TrackerOptions['reservationOf'] =>
  (id) => {
    const found = views.newest('reservation', id)
    return found && JSON.parse(found.document)
  }

/**
 * What an earlier run left that is not in the log. It comes before the sessions of this run. The log may be another one,
 * or have been restored from a backup.
 */
const takeLeft = ({ left, views }: SessionsOptions, add: (tracked: Tracked) => void): void => {
  const reservationOf = makeReservationOf({ views })
  for (const session of left) {
    const reservation = reservationOf(session.reservation_id)
    if (reservation?.sut_id !== session.sut_id || reservation.user_id !== session.user_id) continue
    const known = views.newest('session', session._id)
    if (known === undefined || isStillOpen(known.document)) {
      add({ ...trackedOf(session), isRecorded: known !== undefined })
    }
  }
}

/** Makes the function that looks whether something is due. */
const makeLook = (options: SessionsOptions, tracker: Tracker, recorder: Recorder, keep: () => Promise<void>) => {
  const { clock, sinceBoot, isOpen, onError } = options
  const isFollowed = (session: Session): boolean => tracker.has(session) || recorder.has(session._id)
  const abandoned = followAbandoned({ ...options, now: clock.now, isFollowed })
  let [isLoaded, recordFrom, keptAt] = [false, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]

  const record = makeOneAtATime(async () => {
    const isDone = await recorder.flush()
    if (!isDone) recordFrom = sinceBoot() + AGAIN_AFTER
    if (!isLoaded) isLoaded = await abandoned.load()
    if (isLoaded) await abandoned.closeDue()
  }, onError)

  return {
    look: (): void => {
      tracker.endGaps()
      const since = sinceBoot()
      if (Math.abs(since - keptAt) >= KEEP_EVERY) {
        keptAt = since
        void keep()
      }
      if (isOpen() && clock.mayRecord() && since >= recordFrom) void record()
    },
    openInLog: abandoned.open,
    close: abandoned.close,
  }
}

export const makeSessions = (options: SessionsOptions): Sessions => {
  const { clock, onError, wake, signal } = options
  let isOverdue = false
  const recorder = makeRecorder({ ...options, mayRecord: () => !isOverdue && clock.mayRecord() })
  const tracker = makeTracker({
    ...options,
    reservationOf: makeReservationOf(options),
    record: recorder.add,
  })
  const keep = makeOneAtATime(
    makeKeep(options, () => [...tracker.all(), ...recorder.waiting()]),
    onError,
  )
  const flushAll = async (): Promise<void> => {
    while (!isOverdue && !(await recorder.flush().catch(onError))) await delay(FINISH_EVERY)
  }
  const { look, openInLog, close } = makeLook(options, tracker, recorder, keep)

  return {
    connected: tracker.connected,
    counted: tracker.counted,
    disconnected: tracker.disconnected,
    isInUse: (sutId) =>
      tracker.all().some(({ session }) => session.sut_id === sutId) ||
      openInLog().some(({ sut_id }) => sut_id === sutId),
    run: async () => {
      takeLeft(options, recorder.add)
      while (!signal.aborted) {
        look()
        await wake(signal)
      }
      close()
    },
    finish: async () => {
      tracker.endAll(clock.now())
      await keep()
      const done = new AbortController()
      const overdue = delay(FINISH_WITHIN, undefined, { signal: done.signal }).catch(() => undefined)
      await Promise.race([flushAll(), overdue])
      done.abort()
      isOverdue = true
      await keep()
    },
  }
}
