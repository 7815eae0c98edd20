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
const CHUNK = 64
/** Kept for all readers: 4,096 events, and at most this many characters. */
const CHUNKS_MAX = 64
const CHARACTERS_MAX = 32 << 20
/** Reads begun in one turn of the event loop, whoever reads. Each decodes at most a page of the store: some 4 ms. */
const READS_MAX = 2
const EVERYBODY = ''

/** The first position of the chunk with the event after a position. */
export const chunkStart = (position: PublicPosition): PublicPosition =>
  toPublicPosition(Math.floor((position + 1) / CHUNK) * CHUNK)

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

/** Events of the log that are kept for all readers, in chunks that begin at fixed positions. */
const makeChunks = () => {
  const chunks = new LRUCache<PublicPosition, readonly FeedEntry[]>({
    max: CHUNKS_MAX,
    maxSize: CHARACTERS_MAX,
    sizeCalculation: (entries) => entries.reduce((sum, entry) => sum + entry.json().length, 1),
  })
  return {
    /** From the first event of the chunk on, as far as they are kept. */
    of: (first: PublicPosition): readonly FeedEntry[] => chunks.get(first) ?? [],
    /** Keeps entries that follow each other, except where those before them in their chunk are not kept. */
    keep: (entries: readonly FeedEntry[]): void => {
      for (let n = 0; n < entries.length; ) {
        const { position } = entries[n] as FeedEntry
        const first = chunkStart(previousPosition(position))
        const offset = position - first
        const part = entries.slice(n, n + CHUNK - offset)
        const kept = chunks.get(first) ?? []
        if (kept.length >= offset && kept.length < offset + part.length)
          chunks.set(first, [...kept.slice(0, offset), ...part])
        n += part.length
      }
    },
  }
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
  const chunks = makeChunks()
  const inTurn = makeReadTurns()
  const callSoon = makeCallQueue()
  const followers = new Set<() => void>()

  const toEntries = (events: readonly Logged[], first: PublicPosition): readonly FeedEntry[] =>
    events.map((event, n) => makeEntry(event, toPublicPosition(first + n), origin))

  const unwatch = views.watch((events) => {
    if (followers.size === 0 || events.length === 0) return
    // What keeps them encodes them, in this turn. Many at once are read from the log instead.
    if (events.length <= CHUNK) chunks.keep(toEntries(events, toPublicPosition(views.position() - events.length + 1)))
    callSoon(followers)
  })

  /** At least the first `count` entries of a chunk, which must exist. */
  const load = (
    userId: string,
    first: PublicPosition,
    count: number,
  ): readonly FeedEntry[] | Promise<readonly FeedEntry[]> => {
    const kept = chunks.of(first)
    if (kept.length >= count) return kept
    return inTurn(userId, async () => {
      // Somebody else may have read it meanwhile.
      const before = chunks.of(first)
      if (before.length >= count) return before
      const from = toPublicPosition(first + before.length)
      const entries = toEntries(await readEvents(options, from, count - before.length), from)
      chunks.keep(entries)
      return [...before, ...entries]
    })
  }

  return {
    readAfter: async (userId, position, end) => {
      const last = end === undefined ? views.position() : earlierPosition(end, views.position())
      if (position >= last) return []
      const first = chunkStart(position)
      const count = Math.min(last + 1 - first, CHUNK)
      const entries = (await load(userId, first, count)).slice(nextPosition(position) - first, count)
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
