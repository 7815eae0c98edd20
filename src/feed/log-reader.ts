import { LRUCache } from 'lru-cache'
import { makeTurns } from '../concurrency/turns.ts'
import type { Logged } from '../domain/event.ts'
import {
  earlierPosition,
  nextPosition,
  type PublicPosition,
  previousPosition,
  toPublicPosition,
} from '../domain/values/position.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'
import { type Follow, makeCallQueue } from './call-queue.ts'
import { type FeedEntry, makeEntry } from './events/entry.ts'
import type { Sending } from './stream.ts'

/** Events delivered together: about 50 KB, roughly what a connection takes at a time. */
export const TOGETHER_MAX = 64
/** Kept for all readers: so many events, and at most this many characters. */
const EVENTS_MAX = 4_096
const CHARACTERS_MAX = 32 << 20
/** Reads begun in one turn of the event loop, whoever reads. Each decodes at most a page of the store: some 4 ms. */
const READS_MAX = 2
const EVERYBODY = ''

export interface LogReaderOptions {
  readonly store: Pick<EventStore, 'subscribe'>
  readonly views: Pick<Views, 'log' | 'position' | 'waitUntilDurable' | 'watch'>
  /** The name of the log. */
  readonly origin: string
}

/** Users take turns, so that one with many streams does not delay the others. */
const makeReadTurns = () => {
  const ofUser = makeTurns()
  const ofAll = makeTurns({ limit: READS_MAX })
  return async <A>(userId: string, read: () => A | Promise<A>): Promise<A> => {
    await ofUser.acquire(userId)
    await ofAll.acquire(EVERYBODY)
    try {
      return await read()
    } finally {
      setImmediate(() => {
        ofAll.release(EVERYBODY)
        ofUser.release(userId)
      })
    }
  }
}

/** Reads at least `count` events that must exist, from a position on: whole pages of the store. */
const readEvents = async (
  { store, views }: LogReaderOptions,
  first: PublicPosition,
  count: number,
): Promise<readonly Logged[]> => {
  const before = views.log()?.storePositionAt(previousPosition(first))
  if (before === undefined) throw new StoreUnavailable('the log index cannot be read')
  const stop = new AbortController()
  const events: Logged[] = []
  try {
    for await (const batch of store.subscribe(before, stop.signal)) {
      events.push(...batch.events)
      if (events.length >= count) break
    }
  } finally {
    stop.abort()
  }
  if (events.length < count) throw new StoreUnavailable('the log ended before an event that is known to exist')
  // A log restored from a backup may have other events at known positions. None of them may be sent.
  if (views.log()?.positionOf((events[0] as Logged).id) !== first)
    throw new StoreUnavailable('the log holds another event at a known position')
  return events
}

/** Reads the log once for all readers: those that have caught up are handed what the views fold. */
export interface LogReader {
  /** What a user reads, durable. As of Sending. */
  readonly readAfter: (
    userId: string,
    ...range: Parameters<Sending<FeedEntry>['readAfter']>
  ) => Promise<readonly FeedEntry[]>
  readonly follow: Follow
  readonly close: () => void
}

export const makeLogReader = (options: LogReaderOptions): LogReader => {
  const { views, origin } = options
  const kept = new LRUCache<PublicPosition, FeedEntry>({
    max: EVENTS_MAX,
    maxSize: CHARACTERS_MAX,
    sizeCalculation: (entry) => entry.json().length,
  })
  const inTurn = makeReadTurns()
  const callSoon = makeCallQueue()
  const followers = new Set<() => void>()

  /** Keeps events that follow each other, which encodes them, in this turn. */
  const keep = (events: readonly Logged[], first: PublicPosition): readonly FeedEntry[] => {
    const entries = events.map((event, n) => makeEntry(event, toPublicPosition(first + n), origin))
    for (const entry of entries) kept.set(entry.position, entry)
    return entries
  }
  /** Those from a position on that are kept, up to the first that is not. */
  const keptFrom = (first: PublicPosition, count: number): readonly FeedEntry[] => {
    const entries: FeedEntry[] = []
    for (let n = 0; n < count; n++) {
      const entry = kept.get(toPublicPosition(first + n))
      if (entry === undefined) break
      entries.push(entry)
    }
    return entries
  }

  const unwatch = views.watch((events) => {
    if (followers.size === 0 || events.length === 0) return
    // Many at once are read from the log instead.
    if (events.length <= TOGETHER_MAX) keep(events, toPublicPosition(views.position() - events.length + 1))
    callSoon(followers)
  })

  /** Entries from a position on, which must exist. */
  const load = async (userId: string, first: PublicPosition, count: number): Promise<readonly FeedEntry[]> => {
    const known = keptFrom(first, count)
    if (known.length === count) return known
    return inTurn(userId, async () => {
      // Somebody else may have read them meanwhile.
      const before = keptFrom(first, count)
      if (before.length === count) return before
      const from = toPublicPosition(first + before.length)
      const others = keep(await readEvents(options, from, count - before.length), from)
      return [...before, ...others].slice(0, count)
    })
  }

  return {
    readAfter: async (userId, position, end) => {
      const last = end === undefined ? views.position() : earlierPosition(end, views.position())
      if (position >= last) return []
      const entries = await load(userId, nextPosition(position), Math.min(last - position, TOGETHER_MAX))
      await views.waitUntilDurable((entries.at(-1) as FeedEntry).position)
      return entries
    },
    follow: (onChange) => {
      followers.add(onChange)
      return () => followers.delete(onChange)
    },
    close: unwatch,
  }
}
