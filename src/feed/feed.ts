import { setImmediate as turn } from 'node:timers/promises'
import { type PublicPosition, previousPosition, toPublicPosition } from '../domain/values/position.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'
import type { User } from '../users/user.ts'
import { chunkStart } from './chunks.ts'
import type { DelayedStart } from './delayed-start.ts'
import { makeEventWriter, type StreamRequest } from './event-writer.ts'
import { type FeedEntry, type Filter, isWanted } from './events/entry.ts'
import { makeSource, type Source } from './source.ts'
import type { Sending } from './stream.ts'
import { FEED_LIMITS, type FeedLimits, makeSubscribers, type SubscribersOptions } from './subscribers.ts'

/** Events scanned per page request. */
const SCANNED_MAX = 4_096
/** Characters of events after which a page ends. */
const CHARACTERS_MAX = 4 << 20

export interface EventsPage {
  /** As JSON. */
  readonly events: readonly string[]
  /** The last position scanned; -1 before the first. */
  readonly next: PublicPosition
  readonly caughtUp: boolean
}

interface PageRequest {
  /** Who reads. */
  readonly userId: string
  /** The position after which the page begins; -1 for the beginning. */
  readonly after: PublicPosition
  /** The last position of the log. */
  readonly end: PublicPosition
  readonly limit: number
  readonly filter: Filter
}

/** A page from the newest event back. */
interface BackwardsRequest extends Pick<PageRequest, 'userId' | 'limit' | 'filter'> {
  /** The position before which it begins. */
  readonly before: PublicPosition
}

export type Feed = ReturnType<typeof makeFeed>

interface FeedOptions extends Omit<SubscribersOptions, 'limits'> {
  readonly store: EventStore
  readonly views: Pick<Views, 'log' | 'position' | 'isOfAnotherLog' | 'watch'>
  /** The name of the log. */
  readonly origin: string
  readonly limits?: Partial<FeedLimits> | undefined
}

/** Collects the events of a page until it is full. */
const makePage = ({ limit, filter }: Pick<PageRequest, 'limit' | 'filter'>) => {
  const events: string[] = []
  let characters = 0
  let looked = 0
  const isFull = (): boolean => looked >= SCANNED_MAX || events.length === limit || characters >= CHARACTERS_MAX
  return {
    events,
    isFull,
    /** Looks at entries and returns the last position looked at; the one given if the page was full before. */
    take: (entries: readonly FeedEntry[], position: PublicPosition): PublicPosition => {
      let last = position
      for (const entry of entries) {
        if (isFull()) break
        if (isWanted(filter, entry)) characters += events[events.push(entry.json()) - 1]?.length ?? 0
        last = entry.position
        looked++
      }
      return last
    },
  }
}

const readPage = async (source: Source, { userId, after, end, ...request }: PageRequest): Promise<EventsPage> => {
  const { events, isFull, take } = makePage(request)
  let next = after
  while (next < end && !isFull()) {
    next = take(await source.readAfter(userId, next, end), next)
    // Cached entries need no I/O, so yield explicitly to other requests.
    await turn()
  }
  return { events, next, caughtUp: next >= end }
}

const readBack = async (source: Source, { userId, before, ...request }: BackwardsRequest): Promise<EventsPage> => {
  const { events, isFull, take } = makePage(request)
  let next = before
  while (next > 0 && !isFull()) {
    const entries: FeedEntry[] = []
    // Chunks begin at fixed positions, so that other readers share them.
    const last = previousPosition(next)
    const first = chunkStart(previousPosition(last))
    while (first + entries.length < next) {
      const read = await source.readAfter(userId, toPublicPosition(first + entries.length - 1), last)
      if (read.length === 0) throw new StoreUnavailable('events of the log cannot be read')
      entries.push(...read)
    }
    next = take(entries.toReversed(), next)
    await turn()
  }
  return { events, next, caughtUp: next === 0 }
}

/** The events of the log from any position on. */
export const makeFeed = (options: FeedOptions) => {
  const subscribers = makeSubscribers({ ...options, limits: { ...FEED_LIMITS, ...options.limits } })
  const source = makeSource({ ...options, onFailed: subscribers.fail })

  return {
    /** @throws StoreUnavailable when the log cannot be read */
    page: (request: PageRequest): Promise<EventsPage> => readPage(source, request),
    /** Newest first. @throws StoreUnavailable when the log cannot be read */
    pageBack: (request: BackwardsRequest): Promise<EventsPage> => readBack(source, request),
    subscribe: (user: User, request: StreamRequest, delayedStart?: DelayedStart) => {
      const makeWriter: Sending<FeedEntry>['makeWriter'] = (sink, after) => makeEventWriter(sink, { ...request, after })
      const own: Sending<FeedEntry>['source'] = {
        ...source,
        readAfter: (...range) => source.readAfter(user._id, ...range),
      }
      return subscribers.subscribe(user, { ...request, source: own, makeWriter }, delayedStart)
    },
    close: async (): Promise<void> => {
      await subscribers.close()
      source.close()
    },
  }
}
