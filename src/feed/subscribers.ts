import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Views } from '../read-models/views.ts'
import type { User } from '../users/user.ts'
import type { Users } from '../users/users.ts'
import { makeCallQueue, makePace } from './call-queue.ts'
import type { EndReason } from './events/frames.ts'
import { type DelayedStart, type Sending, type StreamEnd, type SubscriberStream, startStream } from './stream.ts'

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
  /** Milliseconds between checks for slow consumers and tokens that have expired. */
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

export type LimitReached = 'of_user' | 'of_all' | 'held' | 'closed'

/** A stream with a reserved slot. */
export interface Subscription {
  /** Writes the stream; resolves when it has ended. */
  readonly run: (response: ServerResponse) => Promise<void>
  /** Gives up the slot instead of running. */
  readonly leave: () => void
}

export interface SubscribersOptions {
  readonly views: Pick<Views, 'isOfAnotherLog'>
  /** Whether users still are what they were when they were authenticated. */
  readonly users: {
    readonly isCurrent: (user: User) => boolean
    /** Whether the token of a user has expired. */
    readonly hasExpired: (user: User) => boolean
    readonly onChange: Users['onChange']
  }
  readonly limits: FeedLimits
  readonly measures: FeedMeasures
  /** A random number from 0 to 255. */
  readonly randomByte: () => number
  readonly onError: (error: unknown) => void
}

/** Milliseconds, with jitter, so that readers disconnected together do not reconnect together. */
const retryDelay = (randomByte: number): number => 1_000 + 8 * randomByte

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

/** The running streams. */
const makeStreams = ({ limits, measures, users }: SubscribersOptions) => {
  const active = new Set<ActiveStream>()
  const callSoon = makeCallQueue()

  /** Ends the streams of matching users. */
  const disconnect = (matches: (user: User) => boolean, why: EndReason): void => {
    for (const { user, stream } of [...active]) if (matches(user)) stream.end(why)
  }
  return {
    disconnect,
    /** Ends all, or checks them, a few in each turn of the event loop. */
    check: (why: EndReason | undefined): void => {
      const now = performance.now()
      callSoon(
        [...active].map(
          ({ stream }) =>
            () =>
              why === undefined || stream.isHeld() ? stream.check(now) : stream.end(why),
        ),
      )
    },
    follow: async (user: User, response: ServerResponse, stream: SubscriberStream): Promise<void> => {
      const one: ActiveStream = { user, stream }
      active.add(one)
      measures.subscribed()
      // The user may have changed since authentication.
      if (!users.isCurrent(user)) stream.end('user_changed')
      const how = await stream.ended
      active.delete(one)
      measures.unsubscribed(how)
      // Give the reader a limited time to take its last event.
      if (how !== 'left' && how !== 'done') setTimeout(() => response.destroy(), limits.stallTimeout).unref()
    },
  }
}

/** Streams to users, until they are no longer what they were. */
export const makeSubscribers = (options: SubscribersOptions) => {
  const { views, users, limits, randomByte, onError } = options
  const slots = makeSlotCounts(limits)
  const streams = makeStreams(options)
  const drain = makeDrain()
  const pace = makePace()
  let isClosed = false
  let isFailed = false

  const timer = setInterval(() => {
    streams.disconnect(users.hasExpired, 'user_changed')
    streams.check(isFailed ? 'failed' : views.isOfAnotherLog() ? 'another_log' : undefined)
  }, limits.checkInterval).unref()
  const stopWatching = users.onChange(() => streams.disconnect((user) => !users.isCurrent(user), 'user_changed'))

  return {
    subscribe: <A>(
      user: User,
      sending: Sending<A>,
      delayedStart?: DelayedStart,
    ): E.Either<LimitReached, Subscription> => {
      const isHeld = delayedStart !== undefined
      const reached = isClosed ? 'closed' : slots.take(user, isHeld)
      if (reached !== undefined) return E.left(reached)
      return E.right({
        run: async (response) => {
          drain.add(response)
          const { heartbeat, stallTimeout } = limits
          const times = { heartbeat, stallTimeout, retry: retryDelay(randomByte()), pace }
          const hooks = { onBegun: slots.begin, onFailed: onError }
          const stream = startStream(response, { ...sending, ...times, ...hooks, delayedStart })
          if (isClosed) stream.end('stopping')
          await streams.follow(user, response, stream)
          slots.leave(user)
        },
        leave: () => {
          slots.leave(user)
          if (isHeld) slots.begin()
        },
      })
    },
    /** Ends all streams: what they send has failed. */
    fail: (error: unknown): void => {
      isFailed = true
      onError(error)
    },
    /**
     * Ends every stream with an event that gives the reason, and accepts no more. Resolves when readers have taken it, or
     * after the drain timeout.
     */
    close: async (): Promise<void> => {
      isClosed = true
      stopWatching()
      clearInterval(timer)
      streams.disconnect(() => true, 'stopping')
      await drain.wait(limits.drainTimeout)
    },
  }
}
