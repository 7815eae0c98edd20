import type { SutDisplay } from '../../../projections/sut-display.ts'
import { reservationDecider } from '../../domain/reservation/decide.ts'
import { sutStream } from '../../domain/values/ids.ts'
import type { Views } from '../../read-models/views.ts'
import { makeDueTimes } from '../due-times.ts'
import { makeRecordNow, makeRunBatches, type RecordingOptions, runRepeatedly, shuffled } from '../process.ts'
import type { Upcoming, UpcomingReservations } from '../upcoming.ts'
import type { Unbroken } from './unbroken.ts'

export interface UnusedOptions extends RecordingOptions {
  readonly upcoming: UpcomingReservations
  readonly views: Pick<Views, 'watch' | 'newest' | 'read'>
  readonly unbroken: Pick<Unbroken, 'lasting'>
  /** Since when the port of a reservation is open here, in Unix milliseconds; undefined while it is not. */
  readonly openSince: (reservationId: string) => number | undefined
  /** Whether a reservation has a session here, or one that waits to be recorded. */
  readonly isUsed: (reservationId: string) => boolean
  /** Whether other instances may write the log. */
  readonly isShared: boolean
  /** Waits for what others have recorded. False if that takes too long. */
  readonly catchUp: () => Promise<boolean>
}

/** A reservation, as far as its release depends on it. */
export type Usable = Pick<Upcoming, '_id' | 'sut_id' | 'begins' | 'ends'>

/** How long another instance may take to record a session. */
const OTHERS_DELAY_MS = 60_000
/** Before a failed look is repeated. */
const RETRY_DELAY_MS = 1_000

/** Seconds after which a reservation of a SUT is released that nobody uses; 0 is never. Bounded by the SUTs. */
const makeAfterOf = ({ views, signal }: UnusedOptions, onChange: (sutId: string) => void) => {
  const known = new Map<string, number>()
  const unwatch = views.watch((events) => {
    for (const { type, data } of events) {
      if (type !== 'SutUpdated' || data.release_unused_after === undefined) continue
      known.set(data._id, data.release_unused_after)
      onChange(data._id)
    }
  })
  signal.addEventListener('abort', unwatch)
  return (sutId: string): number => {
    const found = known.get(sutId)
    if (found !== undefined) return found
    const document = views.newest('sut_display', sutId)?.document
    const { release_unused_after: after = 0 } = document === undefined ? {} : (JSON.parse(document) as SutDisplay)
    known.set(sutId, after)
    return after
  }
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
  const { upcoming, clock, isUsed, catchUp, onError, signal } = options
  const looks = makeDueTimes()
  const lookAt = ({ _id, begins }: Upcoming): void => looks.set(_id, begins)
  const afterOf = makeAfterOf(options, (sutId) => {
    for (const reservation of upcoming.all()) if (reservation.sut_id === sutId) lookAt(reservation)
  })
  const dueOf = makeDueOf(options, afterOf)
  const hasSession = makeHasSession(options)
  const runBatches = makeRunBatches(signal)
  const recordNow = makeRecordNow(options)

  /** Resolves to whether it must be looked at again. */
  const release = async ({ _id, sut_id }: Upcoming): Promise<boolean> => {
    if (!(await catchUp())) return true
    const isInUse = await hasSession(_id)
    if (isInUse !== false) return isInUse === undefined
    // Somebody may have connected meanwhile.
    if (isUsed(_id)) return true
    const command = { type: 'ReleaseUnattended', _id, cause: 'unused' } as const
    return (await recordNow(reservationDecider, sutStream(sut_id), command)) === undefined
  }
  const look = async (id: string): Promise<void> => {
    const reservation = upcoming.get(id)
    const now = clock.now()
    if (reservation === undefined || reservation.ends <= now) return
    try {
      const due = dueOf(reservation)
      if (due === undefined) return
      if (due > now) looks.set(id, due)
      else if (await release(reservation)) looks.set(id, now + RETRY_DELAY_MS)
    } catch (error) {
      onError(error)
      looks.set(id, now + RETRY_DELAY_MS)
    }
  }

  return {
    /** When a reservation is released unless somebody connects, in Unix milliseconds; undefined if it is not. */
    dueOf: async (reservation: Usable): Promise<number | undefined> => {
      const due = dueOf(reservation)
      return due === undefined || (await hasSession(reservation._id)) !== false ? undefined : due
    },
    /** Runs until the signal aborts. */
    run: async (): Promise<void> => {
      upcoming.observe((id, reservation) => (reservation === undefined ? looks.delete(id) : lookAt(reservation)))
      await runRepeatedly(options, async () => {
        if (clock.mayRecord()) await runBatches(shuffled(looks.takeDue(clock.now())), look)
      })
    },
  }
}
