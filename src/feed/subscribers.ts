import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { User } from '../users/users-file.ts'
import { makeCallQueue } from './call-queue.ts'
import type { EndReason } from './frames.ts'
import { type Ended, type Stream, type StreamOptions, startStream } from './stream.ts'

/** How many subscribers there may be, and how they are treated. */
export interface FeedLimits {
  /** Subscribers of one user, and of all; one that stands still holds about 100 KB. */
  readonly ofUser: number
  readonly ofAll: number
  /** Of all, those that wait until they can begin. */
  readonly held: number
  /** Milliseconds between two signs of life. */
  readonly heartbeat: number
  /** Milliseconds within which a reader must have taken what was written. */
  readonly patience: number
  /** Milliseconds between two looks at who is late. */
  readonly checkInterval: number
  /** Milliseconds that readers are given to take their last event when the service stops. */
  readonly drainTimeout: number
}

export const FEED_LIMITS: FeedLimits = {
  ofUser: 1_024,
  ofAll: 2_048,
  held: 1_000,
  heartbeat: 15_000,
  patience: 30_000,
  checkInterval: 250,
  drainTimeout: 1_000,
}

/** What is told of subscribers, to be counted. */
export interface FeedMeasures {
  readonly subscribed: () => void
  /** A stream has ended: `left` and `done` are its reader's doing. */
  readonly unsubscribed: (how: Ended) => void
}

/** A place among the subscribers, to be taken or left. */
export interface Slot {
  readonly start: (response: ServerResponse, options: Omit<StreamOptions, 'heartbeat' | 'patience'>) => Promise<void>
  readonly leave: () => void
}

export type LimitReached = 'of_user' | 'of_all' | 'held' | 'closed'

export interface Subscribers {
  readonly reserveSlot: (user: User, isHeld: boolean) => Slot | LimitReached
  /** Ends the streams of those users whose record is no longer what it was. */
  readonly disconnect: (matches: (user: User) => boolean, why: EndReason) => void
  /** Ends all streams and takes no more. */
  readonly close: () => Promise<void>
}

export interface SubscribersOptions {
  readonly limits: FeedLimits
  readonly measures: FeedMeasures
  /** Why all streams must end now, if they must. */
  readonly reasonToEnd: () => EndReason | undefined
}

interface ActiveStream {
  readonly user: User
  readonly stream: Stream
}

/** The responses that have not been taken whole yet. */
const makeDrain = () => {
  const open = new Set<ServerResponse>()
  return {
    add: (response: ServerResponse): void => {
      open.add(response)
      response.once('close', () => open.delete(response))
      if (response.closed) open.delete(response)
    },
    /** Resolves when all have gone; those that are there after so many milliseconds are thrown out. */
    wait: async (milliseconds: number): Promise<void> => {
      const gone = Promise.all([...open].map((response) => new Promise((resolve) => response.once('close', resolve))))
      await Promise.race([gone, delay(milliseconds, undefined, { ref: false })])
      for (const response of open) response.destroy()
    },
  }
}

/** How many slots are taken, and by whom. */
const makeSlotCounts = ({ ofUser, ofAll, held: heldMax }: FeedLimits) => {
  const counts = new Map<string, number>()
  let taken = 0
  let held = 0
  const ofOne = ({ _id }: User): number => counts.get(_id) ?? 0
  const change = (user: User, by: 1 | -1): void => {
    taken += by
    const left = ofOne(user) + by
    if (left > 0) counts.set(user._id, left)
    else counts.delete(user._id)
  }
  return {
    take: (user: User, isHeld: boolean): LimitReached | undefined => {
      if (isHeld && held >= heldMax) return 'held'
      if (ofOne(user) >= ofUser) return 'of_user'
      if (taken >= ofAll) return 'of_all'
      change(user, 1)
      if (isHeld) held++
      return undefined
    },
    leave: (user: User): void => change(user, -1),
    /** One that waited has begun, or ended before. */
    begin: (): void => {
      held--
    },
  }
}

export const makeSubscribers = ({ limits, measures, reasonToEnd }: SubscribersOptions): Subscribers => {
  const active = new Set<ActiveStream>()
  const slots = makeSlotCounts(limits)
  const queue = makeCallQueue()
  const drain = makeDrain()
  let isClosed = false

  const timer = setInterval(() => {
    const why = reasonToEnd()
    const now = performance.now()
    queue.add(
      [...active].map(
        ({ stream }) =>
          () =>
            why === undefined || stream.isHeld() ? stream.check(now) : stream.end(why),
      ),
    )
  }, limits.checkInterval)
  timer.unref()

  const start =
    (user: User): Slot['start'] =>
    async (response, options) => {
      drain.add(response)
      const waiting = { heartbeat: limits.heartbeat, patience: limits.patience, onBegun: slots.begin }
      const stream = startStream(response, { ...options, ...waiting })
      const one: ActiveStream = { user, stream }
      active.add(one)
      measures.subscribed()
      if (isClosed) stream.end('stopping')
      const how = await stream.ended
      active.delete(one)
      slots.leave(user)
      measures.unsubscribed(how)
      // It may take its last event yet, but not for ever.
      if (how !== 'left' && how !== 'done') setTimeout(() => response.destroy(), limits.patience).unref()
    }

  return {
    reserveSlot: (user, isHeld) => {
      if (isClosed) return 'closed'
      const leave = (): void => {
        slots.leave(user)
        if (isHeld) slots.begin()
      }
      return slots.take(user, isHeld) ?? { start: start(user), leave }
    },
    disconnect: (matches, why) => {
      for (const { user, stream } of [...active]) if (matches(user)) stream.end(why)
    },
    close: async () => {
      isClosed = true
      clearInterval(timer)
      for (const { stream } of [...active]) stream.end('stopping')
      await drain.wait(limits.drainTimeout)
    },
  }
}
