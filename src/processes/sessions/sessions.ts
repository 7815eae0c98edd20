import { setTimeout as delay } from 'node:timers/promises'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Session } from '../../../projections/session.ts'
import { makeJoined } from '../../concurrency/once.ts'
import { within } from '../../concurrency/waits.ts'
import { type ClosedSession, lostEnd, type OpenedSession } from '../../domain/session/decide.ts'
import { epochSecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Views } from '../../read-models/views.ts'
import type { Timed } from '../loop.ts'
import type { RecordingOptions } from '../process.ts'
import { makeRecorder, makeRunSessionCommand, type RecorderOptions } from './recorder.ts'
import { asClosed, makeTracker, type Tracked, type TrackerOptions, type Use } from './tracker.ts'

interface AbandonedOptions extends RecordingOptions {
  readonly views: Pick<Views, 'newest' | 'read'>
  readonly instance: string
  /** Whether this instance still follows a session. */
  readonly isFollowed: (session: OpenedSession) => boolean
}

/** How long the instance which forwarded a reservation has to close its session after the end. */
const CLOSE_DELAY_MS = 60_000
const LOOK_INTERVAL_MS = 15_000
/** Sessions per page: a page must not hold the thread for long. */
const PAGE_SIZE = 100

/** Closes the sessions that an earlier run of this instance, or another instance, left open. */
const makeCloseAbandoned = (options: AbandonedOptions): (() => Promise<void>) => {
  const { views, clock, instance, isFollowed } = options
  const run = makeRunSessionCommand(options)
  let lookedAt = Number.NEGATIVE_INFINITY

  /** When it may be closed, in Unix milliseconds: those of an earlier run at once. An extension moves it. */
  const dueOf = (session: Session): number => {
    if (session.instance === instance) return 0
    const version = views.newest('reservation', session.reservation_id)
    if (version === undefined) return 0
    return epochSecondsOf((JSON.parse(version.document) as Reservation).end_time) * 1000 + CLOSE_DELAY_MS
  }
  const isAbandoned = (session: Session): boolean => !isFollowed(session) && dueOf(session) <= clock.now()

  return async () => {
    if (Math.abs(clock.now() - lookedAt) < LOOK_INTERVAL_MS) return
    let createdBefore: PublicPosition | undefined
    let isDone = true
    do {
      const page = await views.read('sessions', { isOpen: true, limit: PAGE_SIZE, offset: 0, createdBefore })
      if (page === undefined) return
      const sessions = page.listed.documents.map((document) => JSON.parse(document) as Session)
      for (const session of sessions.filter(isAbandoned)) {
        const command = { type: 'CloseSession', _id: session._id, end: lostEnd(session) } as const
        if (!(await run(session.sut_id, command))) isDone = false
      }
      createdBefore = views.newest('session', sessions.at(-1)?._id ?? '')?.created
    } while (createdBefore !== undefined)
    if (isDone) lookedAt = clock.now()
  }
}

export interface SessionsOptions
  extends Omit<RecorderOptions, 'waitingMax'>,
    Omit<TrackerOptions, 'record' | 'reservationOf' | 'clock'>,
    Pick<AbandonedOptions, 'views'> {
  readonly isShared: boolean
  /** Sessions that the last run of this instance had not recorded, as it last saved them. */
  readonly leftover: readonly ClosedSession[]
  /** Saves what the next run must record if this one ends now. */
  readonly save: (sessions: Iterable<ClosedSession>) => Promise<void>
  readonly isServing: () => boolean
  readonly onError: (error: unknown) => void
}

const SAVE_INTERVAL_MS = 10_000
/** How long a stop waits for sessions to be recorded. The next start records the rest. */
const FINISH_TIMEOUT_MS = 2_000
/** Between attempts during a stop. */
const FINISH_INTERVAL_MS = 100

const trackedOf = ({ closed_at, connections, bytes_to_sut, bytes_from_sut, cause, ...session }: ClosedSession) => ({
  ...{ session, connections, bytesToSut: bytes_to_sut, bytesFromSut: bytes_from_sut, open: new Map(), last: undefined },
  end: { closed_at, connections, bytes_to_sut, bytes_from_sut, cause },
})

/** What the last run left and the log does not have. The log may be another one, or restored from a backup. */
const leftOf = (
  { leftover, views }: SessionsOptions,
  reservationOf: TrackerOptions['reservationOf'],
): readonly Tracked[] =>
  leftover.flatMap((session) => {
    const reservation = reservationOf(session.reservation_id)
    if (reservation?.sut_id !== session.sut_id || reservation.user_id !== session.user_id) return []
    const known = views.newest('session', session._id)
    const isUnfinished = known === undefined || (JSON.parse(known.document) as Session).closed_at === null
    return isUnfinished ? [{ ...trackedOf(session), isRecorded: known !== undefined }] : []
  })

/** Makes the function that saves. It saves nothing while there is and was nothing to save. */
const makeSave = ({ save, clock, leftover }: SessionsOptions, unfinished: () => Iterable<Tracked>) => {
  let isEmpty = leftover.length === 0
  return makeJoined(async (): Promise<void> => {
    const sessions = [...new Set(unfinished())]
    if (sessions.length === 0 && isEmpty) return
    await save(Iterator.from(sessions).map((tracked) => asClosed(tracked, clock.now())))
    isEmpty = sessions.length === 0
  })
}

export const makeSessions = (options: SessionsOptions) => {
  const { views, clock, sinceBoot, isShared, isServing, onError } = options
  let [hasBegun, isOverdue, savedAt] = [false, false, Number.NEGATIVE_INFINITY]
  const untilOverdue = { ...clock, mayRecord: () => !isOverdue && clock.mayRecord() }
  const recorder = makeRecorder({ ...options, clock: untilOverdue })
  const reservationOf: TrackerOptions['reservationOf'] = (id) => {
    const version = views.newest('reservation', id)
    return version && JSON.parse(version.document)
  }
  const tracker = makeTracker({ ...options, reservationOf, record: recorder.add })
  const save = makeSave(options, () => [...tracker.all(), ...recorder.waiting()])
  const closeAbandoned = makeCloseAbandoned({
    ...options,
    isFollowed: (session) => tracker.has(session) || recorder.has(session._id),
  })
  const flushAll = async (): Promise<void> => {
    while (!isOverdue && !(await recorder.flush().catch(onError))) await delay(FINISH_INTERVAL_MS)
  }

  const follow: Timed = {
    failure: 'sessions were not saved; retrying',
    tick: () => {
      // Before anything else is done about the sessions that the log has as open.
      if (!hasBegun) for (const tracked of leftOf(options, reservationOf)) recorder.add(tracked)
      hasBegun = true
      tracker.endGaps()
      const since = sinceBoot()
      if (Math.abs(since - savedAt) < SAVE_INTERVAL_MS) return
      savedAt = since
      return save()
    },
  }
  const record: Timed = {
    failure: 'sessions were not recorded; retrying',
    tick: async () => {
      if (!isServing() || !clock.mayRecord()) return
      await recorder.flush()
      await closeAbandoned()
    },
  }

  return {
    connected: tracker.connected,
    counted: tracker.counted,
    disconnected: tracker.disconnected,
    /**
     * The session of a SUT that has connections here, or is open at another instance as the log shows it. Undefined
     * without one.
     */
    useOf: async (sut_id: string): Promise<Use | undefined> => {
      const use = tracker.useOf(sut_id)
      // Those of this instance have connections only as long as the tracker knows any.
      if (use !== undefined || !isShared) return use
      const page = await views.read('sessions', { sut_id, isOpen: true, limit: 10, offset: 0 })
      const isElsewhere = (document: string): boolean =>
        (JSON.parse(document) as ClosedSession).instance !== options.instance
      return page?.listed.documents.some(isElsewhere) ? 'answering' : undefined
    },
    /** Whether a reservation has a session here, or one that waits to be recorded. */
    isUsed: (id: string): boolean =>
      tracker.isUsed(id) || Iterator.from(recorder.waiting()).some(({ session }) => session.reservation_id === id),
    /** Saving goes on while recording waits for the store. */
    parts: [follow, record],
    /** Ends every session and records what it can, once the gateway has stopped. */
    finish: async (): Promise<void> => {
      // What the last run left is still only where that saved it.
      if (!hasBegun) return
      tracker.endAll(clock.now())
      await save().catch(onError)
      await within(FINISH_TIMEOUT_MS, flushAll(), undefined)
      isOverdue = true
      await save().catch(onError)
    },
  }
}

export type Sessions = ReturnType<typeof makeSessions>
