import { setImmediate as turn } from 'node:timers/promises'
import type { User } from '../domain/user/user.ts'
import {
  laterPosition,
  nextPosition,
  type PublicPosition,
  previousPosition,
  toPublicPosition,
} from '../domain/values/position.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
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
  readonly userId: string
  /** The position after which the page begins, or where it ends if it goes back; -1 for the beginning. */
  readonly after: PublicPosition
  /** The last position of the log, or that with which a page that goes back begins. */
  readonly end: PublicPosition
  readonly limit: number
  readonly filter: Filter
  /** Whether it has the newest events first. */
  readonly isBack?: boolean
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

const readPage = async (
  reader: LogReader,
  { userId, after, end, limit, filter, isBack = false }: PageRequest,
): Promise<EventsPage> => {
  const events: string[] = []
  let [characters, scanned] = [0, 0]
  let next = isBack ? nextPosition(end) : after
  const isFull = (): boolean => scanned >= SCANNED_MAX || events.length === limit || characters >= PAGE_CHARACTERS_MAX
  const isCaughtUp = (): boolean => (isBack ? next <= nextPosition(after) : next >= end)
  /** The entries that follow in the direction of the page. */
  const readMore = async (): Promise<readonly FeedEntry[]> => {
    if (!isBack) return reader.readAfter(userId, next, end)
    const last = previousPosition(next)
    const from = laterPosition(toPublicPosition(last - TOGETHER_MAX), after)
    return (await reader.readAfter(userId, from, last)).toReversed()
  }
  while (!isCaughtUp() && !isFull()) {
    const entries = await readMore()
    if (entries.length === 0) throw new StoreUnavailable('events of the log cannot be read')
    for (const entry of entries) {
      if (isFull()) break
      if (isWanted(filter, entry)) characters += events[events.push(entry.json()) - 1]?.length ?? 0
      next = entry.position
      scanned++
    }
    // Cached entries need no I/O, so yield explicitly to other requests.
    await turn()
  }
  return { events, next, caughtUp: isCaughtUp() }
}

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
    subscribe: (user: User, request: StreamRequest) => {
      const readAfter: Sending<FeedEntry>['readAfter'] = (...range) => reader.readAfter(user._id, ...range)
      return subscribers.subscribe(user, { ...request, ...reader, readAfter, encode: makeEncode(request) })
    },
    close: subscribers.close,
  }
}
