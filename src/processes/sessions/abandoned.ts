import { setImmediate as turn } from 'node:timers/promises'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Session as SessionDocument } from '../../../projections/session.ts'
import type { Runner } from '../../commands/command-envelope.ts'
import { lostEnd, type OpenedSession } from '../../domain/session/decide.ts'
import { epochSecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RowChange } from '../../read-models/tables/version.ts'
import type { Views } from '../../read-models/views.ts'
import { makeDue } from '../due.ts'
import { makeRunSessionCommand, type RecorderOptions } from './recorder.ts'

export interface AbandonedOptions extends Pick<RecorderOptions, 'makeRequestId'> {
  readonly runner: Pick<Runner, 'run'>
  readonly views: Pick<Views, 'newest' | 'read' | 'watch'>
  readonly instance: string
  /** Unix milliseconds. */
  readonly now: () => number
  /** Whether this instance still follows a session. */
  readonly isFollowed: (session: OpenedSession) => boolean
}

/** How long the instance which forwarded a reservation has to close its session after the end. */
const CLOSE_DELAY_MS = 60_000
/** Before a failed close is retried. */
const RETRY_DELAY_MS = 1_000
/** Sessions per page: a page must not hold the thread for long. */
const PAGE = 100

/** Whether a document is that of an open session. */
export const isStillOpen = (document: string): boolean => (JSON.parse(document) as SessionDocument).closed_at === null

const sessionOf = (document: SessionDocument): OpenedSession => {
  const { _id, reservation_id, sut_id, user_id, instance, opened_at } = document
  return { _id, reservation_id, sut_id, user_id, instance, opened_at }
}

/** An open session, and when to look next whether to close it, in Unix milliseconds. */
interface Abandonable {
  readonly session: OpenedSession
  readonly due: number
}

/** The open sessions of all instances. Bounded by the reservations that are not over, and the instances. */
const makeOpenSessions = ({ views }: AbandonedOptions) => {
  const open = new Map<string, Abandonable>()

  /** When another instance may close a session. An extension moves it. */
  const dueOf = ({ reservation_id }: OpenedSession): number => {
    const found = views.newest('reservation', reservation_id)
    if (found === undefined) return 0
    return epochSecondsOf((JSON.parse(found.document) as Reservation).end_time) * 1000 + CLOSE_DELAY_MS
  }
  const put = (session: OpenedSession, due = dueOf(session)): void => void open.set(session._id, { session, due })
  const take = ({ projection, after: { id, document, ended } }: RowChange): void => {
    if (projection === 'session') {
      if (isStillOpen(document)) put(sessionOf(JSON.parse(document) as SessionDocument))
      else open.delete(id)
    } else if (projection === 'reservation' && ended === 'released') {
      for (const { session } of open.values()) if (session.reservation_id === id) put(session)
    }
  }
  return { open, dueOf, put, take }
}

/** Reads all pages of open sessions. False while the views cannot be read. */
const readOpen = async ({ views }: AbandonedOptions, put: (session: OpenedSession) => void): Promise<boolean> => {
  let createdBefore: PublicPosition | undefined
  for (;;) {
    const page = await views.read('sessions', { isOpen: true, limit: PAGE, offset: 0, createdBefore })
    if (page === undefined) return false
    const documents = page.listed.documents.map((document) => JSON.parse(document) as SessionDocument)
    for (const document of documents) {
      const newest = views.newest('session', document._id)
      // It may have been closed since the page was read.
      if (newest !== undefined && isStillOpen(newest.document)) put(sessionOf(document))
    }
    createdBefore = views.newest('session', documents.at(-1)?._id ?? '')?.created
    if (documents.length < PAGE || createdBefore === undefined) return true
    await turn()
  }
}

/** Closes sessions that an earlier run of this instance, or another instance, left open. */
export const followAbandoned = (options: AbandonedOptions) => {
  const { views, instance, now, isFollowed } = options
  const run = makeRunSessionCommand(options)
  const { open, dueOf, put, take } = makeOpenSessions(options)
  const dueSessions = makeDue(
    () => open.values(),
    ({ due }) => due,
  )
  let unwatch: (() => void) | undefined

  /** Whether an earlier run of this instance opened it. */
  const isLeft = (session: OpenedSession): boolean => session.instance === instance && !isFollowed(session)

  const closeOne = async (session: OpenedSession): Promise<void> => {
    const isDone = await run(session.sut_id, { type: 'CloseSession', _id: session._id, end: lostEnd(session) })
    if (open.has(session._id)) put(session, now() + (isDone ? CLOSE_DELAY_MS : RETRY_DELAY_MS))
  }

  return {
    /** The open sessions in the log, of all instances. */
    open: (): IteratorObject<OpenedSession> => open.values().map(({ session }) => session),
    /** Reads which sessions are open, and follows changes. False while the views cannot be read. */
    load: (): Promise<boolean> => {
      unwatch ??= views.watch((_, changes) => changes.forEach(take))
      return readOpen(options, (session) => put(session, isLeft(session) ? 0 : dueOf(session)))
    },
    /** Closes what is due. */
    closeDue: async (): Promise<void> => {
      for (const { session } of dueSessions.find(now())) {
        if (!open.has(session._id)) continue
        const due = isLeft(session) ? 0 : dueOf(session)
        if (due > now() || isFollowed(session)) put(session, Math.max(due, now() + RETRY_DELAY_MS))
        else await closeOne(session)
      }
    },
    close: (): void => unwatch?.(),
  }
}
