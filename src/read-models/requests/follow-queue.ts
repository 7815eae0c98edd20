import type { Logged } from '../../domain/event.ts'
import { foldQueue, type Queue } from '../../domain/request/queue.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { type Followed, followViews } from '../followed.ts'
import type { Views } from '../views.ts'

/** The requests that wait, as of everything folded so far or later. */
export interface FollowedQueue {
  queue: Queue
}

/**
 * @param load reads the requests, and the revision of the last event in their stream that is included; throws
 *   StoreUnavailable
 */
export const followQueue = (
  views: Pick<Views, 'watch'>,
  load: () => Promise<{ readonly queue: Queue; readonly revision: number }>,
): Followed<FollowedQueue> =>
  followViews<FollowedQueue, Logged>(
    views,
    () => {
      const value: FollowedQueue = { queue: [] }
      let last = -1
      return {
        value,
        load: async () => {
          const { queue, revision } = await load()
          value.queue = queue
          last = revision
        },
        apply: (event) => {
          if (event.revision <= last) return
          last = event.revision
          value.queue = foldQueue(value.queue, event)
        },
      }
    },
    (events) => events.filter(({ stream }) => stream === REQUESTS_STREAM),
  )
