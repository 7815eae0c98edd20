import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { User } from '../users/user.ts'
import { makeCallQueue } from './call-queue.ts'
import type { EndReason } from './events/frames.ts'
import { type StreamEnd, type StreamOptions, type SubscriberStream, startStream } from './stream.ts'

/** Limits and timeouts of subscribers. */
export interface FeedLimits {
  /** Subscribers per user, and in all. A stalled one holds about 100 KB. */
  readonly perUser: number
  readonly total: number
  /** Held streams, counted within `total`. */
  readonly held: number
  /** Milliseconds between heartbeats. */
  readonly heartbeat: number
  /** Milliseconds a slow consumer has to drain its buffer. */
  readonly stallTimeout: number
  /** Milliseconds between checks for slow consumers. */
  readonly checkInterval: number
  /** Milliseconds readers get at shutdown to take their last event. */
  readonly drainTimeout: number
}

export const FEED_LIMITS: FeedLimits = {
  perUser: 1_024,
  total: 2_048,
  held: 1_000,
  heartbeat: 15_000,
  stallTimeout: 30_000,
  checkInterval: 250,
  drainTimeout: 1_000,
}

/** Counts subscribers for the metrics. */
export interface FeedMeasures {
  readonly subscribed: () => void
  /** Called when a stream has ended. `left` and `done` are the reader's doing. */
  readonly unsubscribed: (how: StreamEnd) => void
}

/** A reserved slot, to be used or given up. */
export interface Slot {
  readonly start: <A>(
    response: ServerResponse,
    options: Omit<StreamOptions<A>, 'heartbeat' | 'stallTimeout'>,
  ) => Promise<void>
  readonly leave: () => void
}

export type LimitReached = 'of_user' | 'of_all' | 'held' | 'closed'

export interface Subscribers {
  readonly reserveSlot: (user: User, isHeld: boolean) => Slot | LimitReached
  /** Ends the streams of matching users. */
  readonly disconnect: (matches: (user: User) => boolean, why: EndReason) => void
  /** Ends all streams and accepts no more. */
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
  readonly stream: SubscriberStream
}

/** Responses whose last bytes have not been taken yet. */
const makeDrain = () => {
  const open = new Set<ServerResponse>()
  return {
    add: (response: ServerResponse): void => {
      open.add(response)
      response.once('close', () => open.delete(response))
      if (response.closed) open.delete(response)
    },
    /** Resolves when all responses have closed. Destroys those still open after so many milliseconds. */
    wait: async (milliseconds: number): Promise<void> => {
      const gone = Promise.all([...open].map((response) => new Promise((resolve) => response.once('close', resolve))))
      await Promise.race([gone, delay(milliseconds, undefined, { ref: false })])
      for (const response of open) response.destroy()
    },
  }
}

const makeSlotCounts = ({ perUser, total, held: heldMax }: FeedLimits) => {
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
      if (ofOne(user) >= perUser) return 'of_user'
      if (taken >= total) return 'of_all'
      change(user, 1)
      if (isHeld) held++
      return undefined
    },
    leave: (user: User): void => change(user, -1),
    /** Called when a held stream has begun or ended. */
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
      const waiting = { heartbeat: limits.heartbeat, stallTimeout: limits.stallTimeout, onBegun: slots.begin }
      const stream = startStream(response, { ...options, ...waiting })
      const one: ActiveStream = { user, stream }
      active.add(one)
      measures.subscribed()
      if (isClosed) stream.end('stopping')
      const how = await stream.ended
      active.delete(one)
      slots.leave(user)
      measures.unsubscribed(how)
      // Give the reader a limited time to take its last event.
      if (how !== 'left' && how !== 'done') setTimeout(() => response.destroy(), limits.stallTimeout).unref()
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
