import { earlierPosition, type PublicPosition, toPublicPosition } from '../domain/values/position.ts'
import type { Views } from '../read-models/views.ts'
import { CHUNK, type ChunksOptions, makeChunks } from './chunks.ts'
import { type FollowOptions, followDurable, makeWaitUntilDurable, whileJoined } from './durability.ts'
import { type FeedEntry, makeEntry } from './events/entry.ts'
import type { Supply } from './stream.ts'
import { makeWaiting } from './waiting.ts'

/** Newest events kept for readers slightly behind; at most twice as many. */
const NEWEST_MIN = 8 * CHUNK

interface LiveOptions extends FollowOptions {
  /** The name of the log. */
  readonly origin: string
}

/**
 * The newest events, kept for all readers that have caught up, while there are any. They wait for the disk once for all
 * readers. Otherwise these would all continue in one turn, ahead of other work.
 */
const makeLive = (options: LiveOptions) => {
  const waiting = makeWaiting()
  let newest: FeedEntry[] = []

  const shared = whileJoined(() => {
    const stop = followDurable(options, (events, first) => {
      for (const [n, event] of events.entries())
        newest.push(makeEntry(event, toPublicPosition(first + n), options.origin))
      const next = first + events.length
      // From then on the oldest one begins a chunk, so that everything before it is whole chunks.
      if (newest.length >= 2 * NEWEST_MIN) newest = newest.slice(-NEWEST_MIN - (next % CHUNK))
      waiting.wake()
    })
    return () => {
      stop()
      newest = []
    }
  })

  return {
    ...shared,
    /** At most a chunk of the events after a position; undefined if some of them are not kept. */
    newestAfter: (position: PublicPosition): readonly FeedEntry[] | undefined => {
      const [oldest] = newest
      if (oldest === undefined || position < oldest.position - 1) return undefined
      const from = position + 1 - oldest.position
      return newest.slice(from, from + CHUNK)
    },
    /** Calls `call` once, when there are new events. */
    onChange: waiting.add,
    forget: waiting.forget,
  }
}

/**
 * Where subscribers pull durable events from: the newest events once caught up, chunks of the log before that.
 */
export interface Source extends Omit<Supply<FeedEntry>, 'readAfter'> {
  /** What a user reads. As of Supply. */
  readonly readAfter: (
    userId: string,
    ...range: Parameters<Supply<FeedEntry>['readAfter']>
  ) => Promise<readonly FeedEntry[]>
  readonly close: () => void
}

interface SourceOptions extends ChunksOptions, Omit<LiveOptions, 'waitUntilDurable'> {
  readonly views: Pick<Views, 'log' | 'position' | 'watch'>
}

export const makeSource = (options: SourceOptions): Source => {
  const { views } = options
  const waitUntilDurable = makeWaitUntilDurable(options)
  const chunks = makeChunks(options)
  const live = makeLive({ ...options, waitUntilDurable })
  const read = (
    userId: string,
    position: PublicPosition,
    end?: PublicPosition,
  ): Promise<readonly FeedEntry[]> | readonly FeedEntry[] => {
    const newest = live.newestAfter(position)
    if (newest !== undefined && end === undefined) return newest
    const upTo = newest?.filter((entry) => entry.position <= (end as PublicPosition)) ?? []
    if (upTo.length > 0) return upTo
    const known = end === undefined ? views.position() : earlierPosition(end, views.position())
    return position < known ? chunks.readAfter(userId, position, known) : []
  }
  return {
    ...live,
    readAfter: async (userId, position, end) => {
      const entries = await read(userId, position, end)
      const last = entries.at(-1)
      if (last !== undefined) await waitUntilDurable(last.position)
      return entries
    },
    close: () => {
      chunks.close()
      live.close()
    },
  }
}
