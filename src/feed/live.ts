import { type PublicPosition, toPublicPosition } from '../domain/values/position.ts'
import { CHUNK } from './chunks.ts'
import { type FollowOptions, followDurable } from './durability.ts'
import { type FeedEntry, makeEntry } from './events/entry.ts'
import { makeWaiting } from './waiting.ts'

/** Newest events kept for readers slightly behind; at most twice as many. */
const NEWEST_MIN = 8 * CHUNK

export interface LiveOptions extends FollowOptions {
  /** The name of the log. */
  readonly origin: string
}

/**
 * The newest events, kept for all readers that have caught up, while there are any. They wait for the disk once for all
 * readers. Otherwise these would all continue in one turn, ahead of other work.
 */
export const makeLive = (options: LiveOptions) => {
  const waiting = makeWaiting()
  let readers = 0
  let newest: FeedEntry[] = []
  let stop: (() => void) | undefined

  const begin = (): void => {
    stop = followDurable(options, (events, first) => {
      for (const [n, event] of events.entries())
        newest.push(makeEntry(event, toPublicPosition(first + n), options.origin))
      const next = first + events.length
      // From then on the oldest one begins a chunk, so that everything before it is whole chunks.
      if (newest.length >= 2 * NEWEST_MIN) newest = newest.slice(-NEWEST_MIN - (next % CHUNK))
      waiting.wake()
    })
  }

  const end = (): void => {
    stop?.()
    stop = undefined
    newest = []
  }

  return {
    join: (): void => {
      readers++
      if (readers === 1) begin()
    },
    leave: (): void => {
      readers--
      if (readers === 0) end()
    },
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
    close: end,
  }
}
