import { setImmediate as turn } from 'node:timers/promises'
import {
  BEFORE_FIRST,
  laterPosition,
  type PublicPosition,
  previousPosition,
  toPublicPosition,
} from '../domain/values/position.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { User } from '../users/user.ts'
import { type FeedEntry, type Filter, firstOf, isWanted } from './events/entry.ts'
import type { Format } from './events/frames.ts'
import { type LogReader, TOGETHER_MAX } from './log-reader.ts'
import type { Sending } from './stream.ts'
import { FEED_LIMITS, type FeedLimits, makeSubscribers, type SubscribersOptions } from './subscribers.ts'

/** Events scanned per page request. */
const SCANNED_MAX = 4_096
/** Characters of events after which a page ends. */
const PAGE_CHARACTERS_MAX = 4 << 20
/** Characters per write, except for a single larger event. This is also what a stalled reader holds in memory. */
const WRITE_CHARACTERS_MAX = 1 << 16

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

export interface StreamRequest extends Pick<Sending<FeedEntry>, 'after' | 'end'> {
  readonly filter: Filter
  readonly format: Format
}

export type Feed = ReturnType<typeof makeFeed>

interface FeedOptions extends Omit<SubscribersOptions, 'limits'> {
  readonly reader: LogReader
  readonly limits?: Partial<FeedLimits> | undefined
}

/** Collects the events of a page until it is full. */
const makePage = ({ limit, filter }: Pick<PageRequest, 'limit' | 'filter'>) => {
  const events: string[] = []
  let characters = 0
  let looked = 0
  const isFull = (): boolean => looked >= SCANNED_MAX || events.length === limit || characters >= PAGE_CHARACTERS_MAX
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

const readPage = async (reader: LogReader, { userId, after, end, ...request }: PageRequest): Promise<EventsPage> => {
  const { events, isFull, take } = makePage(request)
  let next = after
  while (next < end && !isFull()) {
    next = take(await reader.readAfter(userId, next, end), next)
    // Cached entries need no I/O, so yield explicitly to other requests.
    await turn()
  }
  return { events, next, caughtUp: next >= end }
}

const readBack = async (reader: LogReader, { userId, before, ...request }: BackwardsRequest): Promise<EventsPage> => {
  const { events, isFull, take } = makePage(request)
  let next = before
  while (next > 0 && !isFull()) {
    const last = previousPosition(next)
    const entries = await reader.readAfter(
      userId,
      laterPosition(toPublicPosition(last - TOGETHER_MAX), BEFORE_FIRST),
      last,
    )
    if (entries.length === 0) throw new StoreUnavailable('events of the log cannot be read')
    next = take(entries.toReversed(), next)
    await turn()
  }
  return { events, next, caughtUp: next === 0 }
}

/** Encodes the events that one reader wants. */
const makeEncode =
  ({ filter, format }: StreamRequest): Sending<FeedEntry>['encode'] =>
  (entries) => {
    const wanted = entries.filter((entry) => isWanted(filter, entry))
    const first = firstOf(wanted, WRITE_CHARACTERS_MAX)
    // Unwanted entries after the last one written count as passed.
    const { position: to } = (first.length === wanted.length ? entries : first).at(-1) as FeedEntry
    return { bytes: first.map(format.event).join(''), to, told: first.at(-1)?.position }
  }

/** The events of the log from any position on. */
export const makeFeed = ({ reader, ...options }: FeedOptions) => {
  const subscribers = makeSubscribers({ ...options, limits: { ...FEED_LIMITS, ...options.limits } })
  return {
    /** @throws StoreUnavailable when the log cannot be read */
    page: (request: PageRequest): Promise<EventsPage> => readPage(reader, request),
    /** Newest first. @throws StoreUnavailable when the log cannot be read */
    pageBack: (request: BackwardsRequest): Promise<EventsPage> => readBack(reader, request),
    subscribe: (user: User, request: StreamRequest) => {
      const readAfter: Sending<FeedEntry>['readAfter'] = (...range) => reader.readAfter(user._id, ...range)
      return subscribers.subscribe(user, { ...request, ...reader, readAfter, encode: makeEncode(request) })
    },
    close: subscribers.close,
  }
}
