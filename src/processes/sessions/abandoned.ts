import type { Reservation } from '../../../projections/reservation.ts'
import type { Session } from '../../../projections/session.ts'
import { lostEnd, type OpenedSession } from '../../domain/session/decide.ts'
import { epochSecondsOf } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Views } from '../../read-models/views.ts'
import type { RecordingOptions } from '../process.ts'
import { makeRunSessionCommand } from './recorder.ts'

export interface AbandonedOptions extends RecordingOptions {
  readonly views: Pick<Views, 'newest' | 'read'>
  readonly instance: string
  /** Whether this instance still follows a session. */
  readonly isFollowed: (session: OpenedSession) => boolean
}

/** How long the instance which forwarded a reservation has to close its session after the end. */
const CLOSE_DELAY_MS = 60_000
const LOOK_INTERVAL_MS = 15_000
/** Sessions per page: a page must not hold the thread for long. */
const PAGE = 100

/** Closes the sessions that an earlier run of this instance, or another instance, left open. */
export const makeCloseAbandoned = (options: AbandonedOptions): (() => Promise<void>) => {
  const { views, clock, instance, isFollowed } = options
  const run = makeRunSessionCommand(options)
  let lookedAt = Number.NEGATIVE_INFINITY

  /** When it may be closed, in Unix milliseconds: those of an earlier run at once. An extension moves it. */
  const dueOf = (session: Session): number => {
    if (session.instance === instance) return 0
    const found = views.newest('reservation', session.reservation_id)
    if (found === undefined) return 0
    return epochSecondsOf((JSON.parse(found.document) as Reservation).end_time) * 1000 + CLOSE_DELAY_MS
  }
  const isAbandoned = (session: Session): boolean => !isFollowed(session) && dueOf(session) <= clock.now()

  return async () => {
    if (Math.abs(clock.now() - lookedAt) < LOOK_INTERVAL_MS) return
    let createdBefore: PublicPosition | undefined
    let isDone = true
    do {
      const page = await views.read('sessions', { isOpen: true, limit: PAGE, offset: 0, createdBefore })
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
