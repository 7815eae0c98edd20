import { quarterAt } from '../../domain/calendar/window.ts'
import type { Recorded } from '../../domain/event.ts'
import type { Views } from '../../read-models/views.ts'
import { makeRevivals } from './revivals.ts'

export interface Due {
  readonly suts: ReadonlySet<string> | 'all'
  /**
   * New ones: while they were made, a SUT may have become free of which nobody knew yet, or their users may have been
   * removed. And those that others went before, until they came back.
   */
  readonly requests: readonly string[]
  /** Whether any user may have changed, so that some may not wait any more. */
  readonly hasNewUsers: boolean
}

export interface TriggersOptions {
  readonly views: Pick<Views, 'watch'>
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Whether this instance recorded an event. What others recorded, they grant: this one looks later, in their place. */
  readonly isOwn: (event: Recorded) => boolean
  /** Whether other instances may use the log. */
  readonly isShared: boolean
  /** Whether a user has a quota and waits, so that the end of a reservation may allow another one. */
  readonly isHeldBack: (userId: string) => boolean
  /** Seconds for which signs of life of a request that waits count. */
  readonly keepaliveOf: (requestId: string) => number | undefined
  /** At least 0 and less than 1. */
  readonly random: () => number
}

/** New requests that are remembered. Where there are more, all SUTs are looked at. */
const REQUESTS_MAX = 1_000

/** How long others are left to grant what they saw first, at least, and the jitter on top. */
const OTHERS_DELAY_MS = 1_000

type Effect =
  | { readonly sut: string }
  | { readonly request: string }
  /** `all`: every SUT may be had now by somebody. */
  | 'all'
  | 'users'
  | undefined

const effectOf = (event: Recorded, isHeldBack: TriggersOptions['isHeldBack'], isRevival: boolean): Effect => {
  switch (event.type) {
    case 'ReservationReleased':
    case 'ReservationCancelled':
    case 'ReservationShortened':
    case 'ReservationEnded':
      return isHeldBack(event.data.user_id) ? 'all' : { sut: event.data.sut_id }
    case 'SutCreated':
    case 'SutUpdated':
    // Nobody can wait for it any more.
    case 'SutRetired':
    case 'SutMonitoringEnabled':
    case 'SutMonitoringDisabled':
    case 'SutWentOnline':
      return { sut: event.data._id }
    // The reservation may have been given back while its offer was still open.
    case 'RequestGranted':
      return { sut: event.data.sut_id }
    // Its request may have another SUT that was passed over for its sake, and others this one.
    case 'RequestOfferClosed':
      return 'all'
    case 'ReservationRequested':
      return { request: event.data._id }
    case 'RequestKept':
      return isRevival ? { request: event.data._id } : undefined
    case 'UserAdded':
    case 'UserChanged':
    case 'UserRemoved':
    case 'UserRestored':
      return 'users'
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
    take: (now: number): readonly string[] => {
      const due = [...moments].filter(([, from]) => from <= now).map(([id]) => id)
      for (const id of due) moments.delete(id)
      return due
    },
    size: () => moments.size,
    clear: (): void => moments.clear(),
  }
}

/** What may have made a SUT free for somebody who waits, or somebody fit for a SUT. */
export const followTriggers = ({ views, clock, isOwn, isShared, isHeldBack, keepaliveOf, random }: TriggersOptions) => {
  const isRevival = makeRevivals(keepaliveOf)
  const [suts, requests] = [makeMoments(), makeMoments()]
  let allFrom: number | undefined = clock()
  let hasNewUsers = true
  let quarter = quarterAt(clock())
  let isPoked = false
  let wake: (() => void) | undefined
  /** Is a trigger: something may be due by the clock. */
  const poke = (): void => {
    isPoked = true
    wake?.()
  }

  const later = (): number => clock() + OTHERS_DELAY_MS * (1 + random())
  const lookAtAll = (from: number): void => {
    allFrom = Math.min(allFrom ?? from, from)
  }

  const note = (event: Recorded): void => {
    const effect = effectOf(event, isHeldBack, isRevival(event))
    if (effect === undefined) return
    const from = isOwn(event) ? clock() : later()
    const isForgotten = typeof effect === 'object' && 'request' in effect && requests.size() >= REQUESTS_MAX
    if (effect === 'users' || isForgotten) hasNewUsers = true
    if (typeof effect === 'string' || isForgotten) lookAtAll(from)
    else if ('sut' in effect) suts.note(effect.sut, from)
    else requests.note(effect.request, from)
    poke()
  }
  const unwatch = views.watch((events) => {
    for (const event of events) note(event)
  })

  return {
    /** Takes what is due at a moment in Unix milliseconds. */
    take: (now: number): Due => {
      if (quarterAt(now) !== quarter) {
        quarter = quarterAt(now)
        lookAtAll(isShared ? later() : now)
      }
      const users = hasNewUsers
      hasNewUsers = false
      if (allFrom !== undefined && allFrom <= now) {
        const isOneNew = requests.size() > 0
        allFrom = undefined
        suts.clear()
        requests.clear()
        return { suts: 'all', requests: [], hasNewUsers: users || isOneNew }
      }
      return { suts: new Set(suts.take(now)), requests: requests.take(now), hasNewUsers: users }
    },
    /** Looks at all SUTs at a moment, because something failed or could not be known, and at all users if asked to. */
    lookAgain: (at: number, atUsers: boolean): void => {
      hasNewUsers ||= atUsers
      lookAtAll(at)
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
    poke,
    close: unwatch,
  }
}
