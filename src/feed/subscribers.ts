import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { User } from '../domain/user/user.ts'
import type { Views } from '../read-models/views.ts'
import { type Follow, makeCallQueue, makePace } from './call-queue.ts'
import type { EndReason } from './events/frames.ts'
import { type Sending, type StreamEnd, type SubscriberStream, startStream } from './stream.ts'

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

export interface FeedMeasures {
  readonly subscribed: () => void
  /** Called when a stream has ended. `left` and `done` are the reader's doing. */
  readonly unsubscribed: (how: StreamEnd) => void
}

export type LimitReached = 'of_user' | 'of_all' | 'held' | 'closed'

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
    readonly hasExpired: (user: User) => boolean
    readonly onChange: Follow
  }
  readonly limits: FeedLimits
  readonly measures: FeedMeasures
  readonly randomByte: () => number
  readonly onError: (error: unknown) => void
}

/** A slot of a user, and its stream once that has begun. */
interface Subscriber {
  readonly user: User
  /** Whether it waits for where to begin. */
  readonly isHeld: () => boolean
  stream: SubscriberStream | undefined
}

/** Whether another one may subscribe. */
const findLimit = (
  { perUser, total, held }: FeedLimits,
  all: Iterable<Subscriber>,
  { user, isHeld }: Subscriber,
): LimitReached | undefined => {
  let [ofAll, ofUser, ofHeld] = [0, 0, 0]
  for (const other of all) {
    ofAll++
    if (other.user._id === user._id) ofUser++
    if (other.isHeld()) ofHeld++
  }
  if (isHeld() && ofHeld >= held) return 'held'
  if (ofUser >= perUser) return 'of_user'
  return ofAll >= total ? 'of_all' : undefined
}

/** Counts a stream until it has ended. */
const untilEnded = async (
  { users, limits, measures }: SubscribersOptions,
  user: User,
  response: ServerResponse,
  stream: SubscriberStream,
): Promise<void> => {
  measures.subscribed()
  // The user may have changed since authentication.
  if (!users.isCurrent(user)) stream.end('user_changed')
  const how = await stream.ended
  measures.unsubscribed(how)
  // Give the reader a limited time to take its last event.
  if (how !== 'left' && how !== 'done') setTimeout(() => response.destroy(), limits.stallTimeout).unref()
}

/** Streams to users, until they are no longer what they were. */
export const makeSubscribers = (options: SubscribersOptions) => {
  const { views, users, limits, randomByte, onError } = options
  const all = new Set<Subscriber>()
  /** Responses whose last bytes have not been taken yet. */
  const open = new Set<ServerResponse>()
  const callSoon = makeCallQueue()
  const pace = makePace()
  let isClosed = false

  const disconnect = (matches: (user: User) => boolean, why: EndReason): void => {
    for (const { user, stream } of [...all]) if (matches(user)) stream?.end(why)
  }
  /** Looks after all streams, a few in each turn of the event loop. */
  const timer = setInterval(() => {
    disconnect(users.hasExpired, 'user_changed')
    const isOfAnotherLog = views.isOfAnotherLog()
    const now = performance.now()
    callSoon(
      [...all].map(
        ({ isHeld, stream }) =>
          () =>
            isOfAnotherLog && !isHeld() ? stream?.end('another_log') : stream?.check(now),
      ),
    )
  }, limits.checkInterval).unref()
  const stopWatching = users.onChange(() => disconnect((user) => !users.isCurrent(user), 'user_changed'))

  return {
    subscribe: <A>(user: User, sending: Sending<A>): E.Either<LimitReached, Subscription> => {
      const isHeld = (): boolean => subscriber.stream?.isHeld() ?? typeof sending.after !== 'number'
      const subscriber: Subscriber = { user, isHeld, stream: undefined }
      const reached = isClosed ? 'closed' : findLimit(limits, all, subscriber)
      if (reached !== undefined) return E.left(reached)
      all.add(subscriber)
      return E.right({
        run: (response) => {
          if (!response.closed) open.add(response)
          response.once('close', () => open.delete(response))
          const { heartbeat, stallTimeout } = limits
          // Milliseconds, with jitter, so that readers disconnected together do not reconnect together.
          const retry = 1_000 + 8 * randomByte()
          const more = { heartbeat, stallTimeout, retry, pace, onFailed: onError }
          const stream = startStream(response, { ...sending, ...more })
          subscriber.stream = stream
          if (isClosed) stream.end('stopping')
          return untilEnded(options, user, response, stream).finally(() => all.delete(subscriber))
        },
        leave: () => void all.delete(subscriber),
      })
    },
    /**
     * Ends every stream with an event that gives the reason, and accepts no more. Resolves when readers have taken it, or
     * after the drain timeout.
     */
    close: async (): Promise<void> => {
      isClosed = true
      stopWatching()
      clearInterval(timer)
      disconnect(() => true, 'stopping')
      const gone = [...open].map((response) => new Promise((resolve) => response.once('close', resolve)))
      await Promise.race([Promise.all(gone), delay(limits.drainTimeout, undefined, { ref: false })])
      for (const response of open) response.destroy()
    },
  }
}
