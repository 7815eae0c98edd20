import { earlierPosition, type PublicPosition } from '../domain/values/position.ts'
import type { Views } from '../read-models/views.ts'
import { type ChunksOptions, makeChunks } from './chunks.ts'
import { makeWaitUntilDurable } from './durability.ts'
import type { FeedEntry } from './events/entry.ts'
import { type LiveOptions, makeLive } from './live.ts'
import type { Supply } from './stream.ts'

/**
 * Where subscribers pull durable events from: the live subscription once caught up, chunks of the log before that.
 */
export interface Source extends Supply<FeedEntry> {
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
    position: PublicPosition,
    end?: PublicPosition,
  ): Promise<readonly FeedEntry[]> | readonly FeedEntry[] => {
    const newest = live.newestAfter(position)
    if (newest !== undefined && end === undefined) return newest
    const upTo = newest?.filter((entry) => entry.position <= (end as PublicPosition)) ?? []
    if (upTo.length > 0) return upTo
    const known = end === undefined ? views.position() : earlierPosition(end, views.position())
    return position < known ? chunks.readAfter(position, known) : []
  }
  return {
    join: live.join,
    leave: live.leave,
    onChange: live.onChange,
    forget: live.forget,
    readAfter: async (position, end) => {
      const entries = await read(position, end)
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
