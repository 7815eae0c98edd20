import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { User } from '../users/users-file.ts'
import type { Why } from './frames.ts'
import { makeSlices } from './slices.ts'
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
  readonly look: number
  /** Milliseconds that readers are given to take their last event when the service stops. */
  readonly farewell: number
}

export const FEED_LIMITS: FeedLimits = {
  ofUser: 1_024,
  ofAll: 2_048,
  held: 1_000,
  heartbeat: 15_000,
  patience: 30_000,
  look: 250,
  farewell: 1_000,
}

/** What is told of subscribers, to be counted. */
export interface FeedMeasures {
  readonly subscribed: () => void
  /** A stream has ended: `left` and `done` are its reader's doing. */
  readonly unsubscribed: (how: Ended) => void
}

/** A place among the subscribers, to be taken or left. */
export interface Seat {
  readonly start: (response: ServerResponse, options: Omit<StreamOptions, 'heartbeat' | 'patience'>) => Promise<void>
  readonly leave: () => void
}

export type NoSeat = 'of_user' | 'of_all' | 'held' | 'closed'

export interface Subscribers {
  readonly seat: (user: User, isHeld: boolean) => Seat | NoSeat
  /** Ends the streams of those users whose record is no longer what it was. */
  readonly dismiss: (isDismissed: (user: User) => boolean, why: Why) => void
  /** Ends all streams and takes no more. */
  readonly close: () => Promise<void>
}

export interface SubscribersOptions {
  readonly limits: FeedLimits
  readonly measures: FeedMeasures
  /** Why all streams must end now, if they must. */
  readonly reasonToEnd: () => Why | undefined
}

interface Seated {
  readonly user: User
  readonly stream: Stream
}

/** The responses that have not been taken whole yet. */
const makeDepartures = () => {
  const open = new Set<ServerResponse>()
  return {
    add: (response: ServerResponse): void => {
      open.add(response)
      response.once('close', () => open.delete(response))
      if (response.closed) open.delete(response)
    },
    /** Resolves when all have gone; those that are there after so many milliseconds are thrown out. */
    within: async (milliseconds: number): Promise<void> => {
      const gone = Promise.all([...open].map((response) => new Promise((resolve) => response.once('close', resolve))))
      await Promise.race([gone, delay(milliseconds, undefined, { ref: false })])
      for (const response of open) response.destroy()
    },
  }
}

/** How many seats are taken, and by whom. */
const makeSeats = ({ ofUser, ofAll, held: heldMax }: FeedLimits) => {
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
    take: (user: User, isHeld: boolean): NoSeat | undefined => {
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
  const seated = new Set<Seated>()
  const seats = makeSeats(limits)
  const slices = makeSlices()
  const departures = makeDepartures()
  let isClosed = false

  const timer = setInterval(() => {
    const why = reasonToEnd()
    const now = performance.now()
    slices.add(
      [...seated].map(
        ({ stream }) =>
          () =>
            why === undefined || stream.isHeld() ? stream.look(now) : stream.end(why),
      ),
    )
  }, limits.look)
  timer.unref()

  const start =
    (user: User): Seat['start'] =>
    async (response, options) => {
      departures.add(response)
      const waiting = { heartbeat: limits.heartbeat, patience: limits.patience, onBegun: seats.begin }
      const stream = startStream(response, { ...options, ...waiting })
      const one: Seated = { user, stream }
      seated.add(one)
      measures.subscribed()
      if (isClosed) stream.end('stopping')
      const how = await stream.ended
      seated.delete(one)
      seats.leave(user)
      measures.unsubscribed(how)
      // It may take its last event yet, but not for ever.
      if (how !== 'left' && how !== 'done') setTimeout(() => response.destroy(), limits.patience).unref()
    }

  return {
    seat: (user, isHeld) => {
      if (isClosed) return 'closed'
      const leave = (): void => {
        seats.leave(user)
        if (isHeld) seats.begin()
      }
      return seats.take(user, isHeld) ?? { start: start(user), leave }
    },
    dismiss: (isDismissed, why) => {
      for (const { user, stream } of [...seated]) if (isDismissed(user)) stream.end(why)
    },
    close: async () => {
      isClosed = true
      clearInterval(timer)
      for (const { stream } of [...seated]) stream.end('stopping')
      await departures.within(limits.farewell)
    },
  }
}
