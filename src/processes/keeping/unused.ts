import type { SutInternal } from '../../../projections/sut.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { sutStream } from '../../domain/values/ids.ts'
import type { Views } from '../../read-models/views.ts'
import { type BatchOptions, forEachYielding, makeRecordNow, type RecordingOptions, runBatches } from '../process.ts'
import type { Upcoming, UpcomingReservations } from '../upcoming.ts'
import type { Unbroken } from './unbroken.ts'

export interface UnusedOptions extends RecordingOptions, BatchOptions {
  readonly upcoming: Pick<UpcomingReservations, 'get' | 'all'>
  readonly views: Pick<Views, 'watch' | 'newest' | 'read'>
  readonly unbroken: Pick<Unbroken, 'lasting'>
  /** Since when the port of a reservation is open here, in Unix milliseconds; undefined while it is not. */
  readonly openSince: (reservationId: string) => number | undefined
  /** Whether a reservation has a session here, or one that waits to be recorded. */
  readonly isUsed: (reservationId: string) => boolean
  readonly isShared: boolean
  /** Waits for what others have recorded. False if that takes too long. */
  readonly catchUp: () => Promise<boolean>
}

/** A reservation, as far as its release depends on it. */
export type Usable = Pick<Upcoming, '_id' | 'sut_id' | 'begins' | 'ends'>

/** How long another instance may take to record a session. */
const OTHERS_DELAY_MS = 60_000

const releaseAfterOf = (internal: string | undefined): number =>
  (internal && (JSON.parse(internal) as SutInternal).settings.release_unused_after) || 0

/** Seconds after which a reservation of a SUT is released that nobody uses; 0 is never. Bounded by the SUTs. */
const makeAfterOf = ({ views, signal }: UnusedOptions) => {
  const known = new Map<string, number>()
  const unwatch = views.watch((_, changes) => {
    for (const { projection, after } of changes)
      if (projection === 'sut' && !after.isObserved) known.set(after.id, releaseAfterOf(after.internal))
  })
  signal.addEventListener('abort', unwatch)
  const afterOf = (sutId: string): number => {
    const after = known.get(sutId) ?? releaseAfterOf(views.newest('sut', sutId)?.internal)
    known.set(sutId, after)
    return after
  }
  return { afterOf, isKnown: (sutId: string): boolean => known.has(sutId) }
}

/** Makes the function that says when a reservation is released unless somebody connects before; undefined if it is not. */
const makeDueOf =
  ({ clock, unbroken, openSince, isShared }: UnusedOptions, afterOf: (sutId: string) => number) =>
  ({ _id, sut_id, begins, ends }: Usable): number | undefined => {
    const after = afterOf(sut_id) * 1000
    if (after === 0) return undefined
    const now = clock.now()
    // What nobody could have used here counts anew.
    const usable = Math.min(unbroken.lasting(), now - (openSince(_id) ?? now))
    const due = Math.max(begins + after, begins > now ? 0 : now + after - usable) + (isShared ? OTHERS_DELAY_MS : 0)
    return due < ends ? due : undefined
  }

/** Whether somebody has connected: here or, as far as the log says, at another instance. Undefined if that is not known. */
const makeHasSession =
  ({ views, isUsed }: Pick<UnusedOptions, 'views' | 'isUsed'>) =>
  async (reservation_id: string): Promise<boolean | undefined> => {
    if (isUsed(reservation_id)) return true
    const page = await views.read('sessions', { reservation_id, limit: 1, offset: 0 })
    return page && page.listed.count > 0
  }

/** Releases reservations that nobody uses. */
export const makeUnused = (options: UnusedOptions) => {
  const { upcoming, clock, isUsed, catchUp, signal } = options
  const { afterOf, isKnown } = makeAfterOf(options)
  const dueOf = makeDueOf(options, afterOf)
  const hasSession = makeHasSession(options)
  const recordNow = makeRecordNow(options)
  /** Reservations that somebody has used or that were released. Bounded by the upcoming ones. */
  const settled = new Set<string>()

  const release = async ({ _id, sut_id }: Upcoming): Promise<void> => {
    if (!(await catchUp())) return
    const isInUse = await hasSession(_id)
    // Somebody may have connected meanwhile.
    if (isInUse === undefined || (isInUse === false && isUsed(_id))) return
    const command = { type: 'ReleaseUnattended', _id, cause: 'unused' } as const
    if (isInUse || (await recordNow(reservationDecider, sutStream(sut_id), command))) settled.add(_id)
  }

  return {
    /** When a reservation is released unless somebody connects, in Unix milliseconds; undefined if it is not. */
    dueOf: async (reservation: Usable): Promise<number | undefined> => {
      const moment = dueOf(reservation)
      return moment === undefined || (await hasSession(reservation._id)) !== false ? undefined : moment
    },
    failure: 'reservations that nobody uses were not released; retrying',
    tick: async () => {
      if (!clock.mayRecord()) return
      const now = clock.now()
      const running = [...upcoming.all()].filter(
        ({ _id, begins, ends }) => begins <= now && ends > now && !settled.has(_id),
      )
      const unread = running.filter(({ sut_id }) => !isKnown(sut_id))
      await forEachYielding(unread, ({ sut_id }) => afterOf(sut_id), signal)
      const due = running.filter((reservation) => (dueOf(reservation) ?? Number.POSITIVE_INFINITY) <= now)
      await runBatches(due, release, options)
      for (const id of settled) if (upcoming.get(id) === undefined) settled.delete(id)
    },
  }
}
