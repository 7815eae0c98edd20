import { LRUCache } from 'lru-cache'
import type { Logged } from '../domain/event.ts'
import {
  type PublicPosition,
  previousPosition,
  type StorePosition,
  toPublicPosition,
} from '../domain/values/position.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'
import { type Cursor, openCursor } from './cursor.ts'
import { type FeedEntry, makeEntry } from './events/entry.ts'
import { makeReadTurns } from './read-turns.ts'

/** Events read, encoded and cached together: about 50 KB, roughly what a connection takes at a time. */
export const CHUNK = 64
/** Cached chunks for readers that are catching up: 4,096 events, and at most this many characters. */
const CHUNKS_MAX = 64
const CHARACTERS_MAX = 32 << 20
/** Idle cursors kept open. */
const CURSORS_MAX = 8
/** An unused cursor is then closed. */
const CURSOR_IDLE_MAX_MS = 10_000

export interface ChunksOptions {
  readonly store: EventStore
  readonly views: Pick<Views, 'log'>
  /** The name of the log. */
  readonly origin: string
}

/**
 * The store position before a public position, from which a subscription begins. @throws StoreUnavailable while the log
 * index cannot be read
 */
export const storePositionBefore = (views: Pick<Views, 'log'>, position: PublicPosition): StorePosition => {
  const storePosition = views.log()?.storePositionAt(previousPosition(position))
  if (storePosition === undefined) throw new StoreUnavailable('the log index cannot be read')
  return storePosition
}

/** The first position of the chunk with the event after a position. */
export const chunkStart = (position: PublicPosition): PublicPosition =>
  toPublicPosition(Math.floor((position + 1) / CHUNK) * CHUNK)

/** Idle cursors, by the position at which they continue. */
const makeCursors = ({ store, views }: ChunksOptions) => {
  const idle = new LRUCache<PublicPosition, Cursor>({
    max: CURSORS_MAX,
    ttl: CURSOR_IDLE_MAX_MS,
    ttlAutopurge: true,
    // A cursor that is taken out for reading stays open.
    dispose: (cursor, _, why) => why !== 'delete' && cursor.close(),
  })
  return {
    take: (position: PublicPosition): Cursor => {
      const found = idle.get(position)
      if (found !== undefined) idle.delete(position)
      return found ?? openCursor(store, storePositionBefore(views, position), position)
    },
    putBack: (cursor: Cursor): void => {
      idle.set(cursor.position(), cursor)
    },
    /** One that is in use ends with the store. */
    close: (): void => {
      for (const cursor of idle.values()) cursor.close()
      idle.clear()
    },
  }
}

/**
 * The log in chunks that begin at fixed positions, so that readers at about the same position share one read. Full
 * chunks are cached.
 */
export const makeChunks = (options: ChunksOptions) => {
  const { views, origin } = options
  const whole = new LRUCache<PublicPosition, readonly FeedEntry[]>({
    max: CHUNKS_MAX,
    maxSize: CHARACTERS_MAX,
    sizeCalculation: (entries) => entries.reduce((sum, entry) => sum + entry.json().length, 1),
  })
  const inFlight = new Map<string, Promise<readonly FeedEntry[]>>()
  const inTurn = makeReadTurns()
  const cursors = makeCursors(options)
  const compared = new WeakSet<Cursor>()

  /** A log restored from a backup may have other events at known positions. None of them may be sent. */
  const compare = (cursor: Cursor, event: Logged, position: PublicPosition): void => {
    if (compared.has(cursor)) return
    if (views.log()?.positionOf(event.id) !== position) {
      throw new StoreUnavailable('the log holds another event at a known position')
    }
    compared.add(cursor)
  }

  const read = async (first: PublicPosition, count: number): Promise<readonly FeedEntry[]> => {
    const cursor = cursors.take(first)
    try {
      const events = await cursor.take(count)
      compare(cursor, events[0] as Logged, first)
      const entries = events.map((event, i) => makeEntry(event, toPublicPosition(first + i), origin))
      if (count < CHUNK) cursor.close()
      else {
        whole.set(first, entries)
        cursors.putBack(cursor)
      }
      return entries
    } catch (error) {
      cursor.close()
      throw error
    }
  }

  const load = (userId: string, first: PublicPosition, count: number): Promise<readonly FeedEntry[]> => {
    const name = `${first} ${count}`
    return inTurn(
      userId,
      () => whole.get(first) ?? inFlight.get(name),
      () => {
        const reading = read(first, count).finally(() => inFlight.delete(name))
        inFlight.set(name, reading)
        return reading
      },
    )
  }

  return {
    /**
     * Events after `position`, up to the end of their chunk and at most up to `end`. The event at `end` must exist.
     *
     * @param userId who reads
     */
    readAfter: async (userId: string, position: PublicPosition, end: PublicPosition): Promise<readonly FeedEntry[]> => {
      const first = chunkStart(position)
      const entries = await load(userId, first, Math.min(end + 1 - first, CHUNK))
      const [from, to] = [position + 1 - first, end + 1 - first]
      return from === 0 && to >= entries.length ? entries : entries.slice(from, to)
    },
    close: cursors.close,
  }
}
