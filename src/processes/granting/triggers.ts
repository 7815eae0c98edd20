import { quarterAt } from '../../domain/calendar/window.ts'
import type { Recorded } from '../../domain/event.ts'
import type { Queue } from '../../domain/request/queue.ts'
import type { Views } from '../../read-models/views.ts'

export interface TriggersOptions {
  readonly views: Pick<Views, 'watch'>
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Whether this instance recorded an event. What others recorded, they grant: this one looks later, in their place. */
  readonly isOwn: (event: Recorded) => boolean
  /** Whether other instances may use the log. */
  readonly isShared: boolean
  /** Whether a user has a quota, so that the end of a reservation may allow another one. */
  readonly isLimited: (userId: string) => boolean
  /** At least 0 and less than 1. */
  readonly random: () => number
}

/** How long others are left to grant what they saw first, at least, and the jitter on top. */
const OTHERS_DELAY_MS = 1_000

/** What an event may have changed for those who wait. */
interface Effect {
  /** May be free, or fit. */
  readonly sut?: string
  readonly request?: string
  /** All of its requests. */
  readonly user?: string
  /** Likewise, if a quota limits it: one of its reservations is over. */
  readonly holder?: string
}

const effectOf = (event: Recorded): Effect | undefined => {
  switch (event.type) {
    case 'ReservationReleased':
    case 'ReservationCancelled':
    case 'ReservationShortened':
    case 'ReservationEnded':
      return { sut: event.data.sut_id, holder: event.data.user_id }
    case 'SutCreated':
    case 'SutUpdated':
    case 'SutMonitoringEnabled':
    case 'SutMonitoringDisabled':
    case 'SutWentOnline':
      return { sut: event.data._id }
    // The reservation may have been given back while its offer was still open.
    case 'RequestGranted':
      return { sut: event.data.sut_id }
    // Others may have this SUT now, and its request another one that was passed over for its sake.
    case 'RequestOfferClosed':
      return { sut: event.data.sut_id, request: event.data._id, user: event.data.user_id }
    // While it was made, a SUT may have become free of which nobody knew yet.
    case 'ReservationRequested':
    // It may have been passed over before.
    case 'RequestKept':
      return { request: event.data._id }
    case 'UserAdded':
    case 'UserRemoved':
    case 'UserRestored':
      return { user: event.data._id }
    case 'UserChanged': {
      const { _id, role, scope, quota } = event.data
      return role === undefined && scope === undefined && quota === undefined ? undefined : { user: _id }
    }
    default:
      return undefined
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
    /** Takes what is due, the first of it. */
    take: (now: number, most = Number.POSITIVE_INFINITY): readonly string[] => {
      const due: string[] = []
      for (const [id, from] of moments) {
        if (due.length === most) break
        if (from > now) continue
        due.push(id)
        moments.delete(id)
      }
      return due
    },
  }
}

const makeAlarm = () => {
  let isPoked = false
  let wake: (() => void) | undefined
  return {
    /** Is a trigger: something may be due by the clock. */
    poke: (): void => {
      isPoked = true
      wake?.()
    },
    /** Resolves at the next trigger, at once if there was one since the last call. */
    next: async (): Promise<void> => {
      if (!isPoked) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      isPoked = false
    },
  }
}

/** What may have made a SUT free for somebody who waits, or somebody fit for a SUT. */
export const followTriggers = ({ views, clock, isOwn, isShared, isLimited, random }: TriggersOptions) => {
  const [suts, requests, users] = [makeMoments(), makeMoments(), makeMoments()]
  /** When all requests are looked at. */
  let allFrom: number | undefined = clock()
  let quarter = quarterAt(clock())
  const { poke, next } = makeAlarm()

  const later = (): number => clock() + OTHERS_DELAY_MS * (1 + random())
  const lookAtAll = (from: number): void => {
    allFrom = Math.min(allFrom ?? from, from)
  }

  const note = (event: Recorded): void => {
    const effect = effectOf(event)
    if (effect === undefined) return
    const { sut, request, user, holder } = effect
    const from = isOwn(event) ? clock() : later()
    if (sut !== undefined) suts.note(sut, from)
    if (request !== undefined) requests.note(request, from)
    if (user !== undefined) users.note(user, from)
    if (holder !== undefined && isLimited(holder)) users.note(holder, from)
    poke()
  }
  const unwatch = views.watch((events) => {
    for (const event of events) note(event)
  })

  return {
    /** Notes the requests that are due because of their users, of the time or of what failed. */
    spread: (queue: Queue, now: number): void => {
      // Reservations are over, and with them turnarounds; what a week allows is there anew.
      if (quarterAt(now) !== quarter) {
        quarter = quarterAt(now)
        lookAtAll(isShared ? later() : now)
      }
      const isAll = allFrom !== undefined && allFrom <= now
      if (isAll) allFrom = undefined
      const due = new Set(users.take(now))
      if (!isAll && due.size === 0) return
      for (const { _id, user_id, asker } of queue)
        if (isAll || due.has(user_id) || due.has(asker._id)) requests.note(_id, now)
    },
    isSutDue: suts.isDue,
    isDue: (now: number): boolean => suts.isDue(now) || requests.isDue(now),
    /** Takes some of what is due. */
    takeSuts: suts.take,
    takeRequests: requests.take,
    noteRequest: requests.note,
    /** Nobody waits. */
    drop: (now: number): void => {
      suts.take(now)
      requests.take(now)
    },
    /** Looks at all requests at a moment, because something failed or could not be known. */
    lookAtAll,
    poke,
    next,
    close: unwatch,
  }
}

export type Triggers = ReturnType<typeof followTriggers>
