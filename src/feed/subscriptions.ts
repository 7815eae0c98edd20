import type { ServerResponse } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { User } from '../users/user.ts'
import type { Users } from '../users/users.ts'
import type { DelayedStart } from './delayed-start.ts'
import type { EndReason } from './events/frames.ts'
import type { Sending } from './stream.ts'
import { type FeedLimits, type FeedMeasures, type LimitReached, makeSubscribers } from './subscribers.ts'

/** A stream with a reserved slot. */
export interface Subscription {
  /** Writes the stream; resolves when it has ended. */
  readonly run: (response: ServerResponse) => Promise<void>
  /** Gives up the slot instead of running. */
  readonly leave: () => void
}

export interface SubscriptionsOptions {
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
  /** Why all streams must end now, if they must. */
  readonly reasonToEnd: () => EndReason | undefined
}

/** Streams to users, until they are no longer what they were. */
export interface Subscriptions {
  readonly subscribe: <A>(
    user: User,
    sending: Sending<A>,
    delayedStart?: DelayedStart,
  ) => E.Either<LimitReached, Subscription>
  /**
   * Ends every stream with an event that gives the reason. Resolves when readers have taken it, or after the drain
   * timeout.
   */
  readonly close: () => Promise<void>
}

/** Between checks for tokens that have expired. */
const EXPIRY_INTERVAL_MS = 1_000

/** Milliseconds, with jitter, so that readers disconnected together do not reconnect together. */
const retryDelay = (randomByte: number): number => 1_000 + 8 * randomByte

export const makeSubscriptions = (options: SubscriptionsOptions): Subscriptions => {
  const { users, randomByte, onError } = options
  const subscribers = makeSubscribers(options)
  const stopWatching = users.onChange(() => subscribers.disconnect((user) => !users.isCurrent(user), 'user_changed'))
  const timer = setInterval(() => subscribers.disconnect(users.hasExpired, 'user_changed'), EXPIRY_INTERVAL_MS).unref()

  return {
    subscribe: (user, sending, delayedStart) => {
      const slot = subscribers.reserveSlot(user, delayedStart !== undefined)
      if (typeof slot === 'string') return E.left(slot)
      return E.right({
        run: async (response) => {
          const retry = retryDelay(randomByte())
          const started = slot.start(response, { ...sending, delayedStart, retry, onFailed: onError })
          // The user may have changed since authentication.
          if (!users.isCurrent(user)) subscribers.disconnect((one) => one === user, 'user_changed')
          await started
        },
        leave: slot.leave,
      })
    },
    close: async () => {
      stopWatching()
      clearInterval(timer)
      await subscribers.close()
    },
  }
}
