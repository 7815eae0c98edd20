import type { Reservation, ReservationInternal } from '../../../projections/reservation.ts'
import { quarterAt } from '../../domain/calendar/window.ts'
import { factsOf, type Recorded } from '../../domain/event.ts'
import type { Queue } from '../../domain/request/queue.ts'
import type { RowChange } from '../../read-models/tables/version.ts'
import type { Views } from '../../read-models/views.ts'

export interface TriggersOptions {
  readonly views: Pick<Views, 'watch'>
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Whether a user has a quota, so that the end of a reservation may allow another one. */
  readonly isLimited: (userId: string) => boolean
}

/** Between looks at what waits too long or in vain, and at offers that others have left. */
export const LOOK_INTERVAL_MS = 1_000

/** What may have changed for those who wait. */
interface Effect {
  /** May be free, or fit. */
  readonly sut?: string | undefined
  readonly request?: string
  /** All of its requests. */
  readonly user?: string
  /** Likewise, if a quota limits it: one of its reservations is over. */
  readonly holder?: string
}

const effectOfChange = ({ projection, before, after }: RowChange): Effect | undefined => {
  if (projection === 'sut') return { sut: after.id }
  if (projection === 'user') return { user: after.id }
  if (projection !== 'reservation' || before === undefined) return undefined
  // A start frees nothing, nor does a sign of life. They change what is internal, as an end does.
  const { recorded } = JSON.parse(after.internal) as ReservationInternal
  const isShown = before.document !== after.document || before.ended !== after.ended
  if (!isShown && recorded !== 'end') return undefined
  const { sut_id, user_id } = JSON.parse(after.document) as Reservation
  return { sut: sut_id, holder: user_id }
}

const effectOfRequest = ({ type, data }: Recorded): Effect | undefined => {
  if (factsOf(type).object !== 'sut_request' || type === 'RequestOffered' || !('_id' in data)) return undefined
  return {
    // While it was made, a SUT may have become free of which nobody knew yet.
    request: data._id,
    // When an offer ends, the reservation may have been given back already, or others may have the SUT.
    ...('sut_id' in data && { sut: data.sut_id }),
    // The offer had a place in the quota.
    ...(type === 'RequestOfferClosed' && 'user_id' in data && { user: data.user_id }),
  }
}

/** What is looked at from a moment on, by id. */
const makeMoments = () => {
  const moments = new Map<string, number>()
  return {
    note: (id: string, from: number): void => {
      moments.set(id, Math.min(moments.get(id) ?? from, from))
    },
    isDue: (now: number): boolean => moments.values().some((from) => from <= now),
    has: (id: string): boolean => moments.has(id),
    forget: (id: string): boolean => moments.delete(id),
    /** Takes one that is due. */
    take: (now: number): string | undefined => {
      const due = moments.entries().find(([, from]) => from <= now)?.[0]
      if (due !== undefined) moments.delete(due)
      return due
    },
    clear: (): void => moments.clear(),
  }
}

/** What may have made a SUT free for somebody who waits, or somebody fit for a SUT. */
export const followTriggers = ({ views, clock, isLimited }: TriggersOptions) => {
  const [suts, requests, users] = [makeMoments(), makeMoments(), makeMoments()]
  /** When all requests are looked at. */
  let allFrom: number | undefined = clock()
  /** When the queue is tidied next. */
  let tidyFrom = 0
  let quarter = quarterAt(clock())
  let alarm = Promise.withResolvers<void>()

  const lookAtAll = (from: number): void => {
    allFrom = Math.min(allFrom ?? from, from)
  }

  const note = (effect: Effect | undefined): void => {
    if (effect === undefined) return
    const { sut, request, user, holder } = effect
    const from = clock()
    if (sut !== undefined) suts.note(sut, from)
    if (request !== undefined) requests.note(request, from)
    if (user !== undefined) users.note(user, from)
    if (user !== undefined) tidyFrom = Math.min(tidyFrom, from)
    if (holder !== undefined && isLimited(holder)) users.note(holder, from)
    alarm.resolve()
  }
  const unwatch = views.watch((events, changes) => {
    for (const change of changes) note(effectOfChange(change))
    for (const event of events) note(effectOfRequest(event))
  })

  return {
    suts,
    requests,
    /** Notes the requests that are due because of their users, of the time or of what failed. */
    spread: (queue: Queue, now: number): void => {
      // Reservations are over, and with them turnarounds; what a week allows is there anew.
      if (quarterAt(now) !== quarter) {
        quarter = quarterAt(now)
        lookAtAll(now)
      }
      const isAll = allFrom !== undefined && allFrom <= now
      if (isAll) allFrom = undefined
      const due = new Set<string>()
      for (let user = users.take(now); user !== undefined; user = users.take(now)) due.add(user)
      if (!isAll && due.size === 0) return
      for (const { _id, user_id, asker } of queue)
        if (isAll || due.has(user_id) || due.has(asker._id)) requests.note(_id, now)
    },
    /** Whether it is time to tidy the queue, after a change of a user or an interval. The clock may have been set back. */
    takeTidying: (now: number): boolean => {
      if (tidyFrom > now && tidyFrom <= now + LOOK_INTERVAL_MS) return false
      tidyFrom = now + LOOK_INTERVAL_MS
      return true
    },
    /** Nobody waits. Who comes is looked at. */
    drop: (): void => {
      for (const moments of [suts, requests, users]) moments.clear()
    },
    /** Looks at all requests at a moment, because something failed. */
    lookAtAll,
    /** Is a trigger: something may be due by the clock. */
    poke: (): void => alarm.resolve(),
    /** Resolves at the next trigger, at once if there was one since the last call. */
    next: async (): Promise<void> => {
      await alarm.promise
      alarm = Promise.withResolvers()
    },
    close: unwatch,
  }
}

export type Triggers = ReturnType<typeof followTriggers>
