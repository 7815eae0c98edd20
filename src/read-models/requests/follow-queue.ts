import type { Logged } from '../../domain/event.ts'
import { foldQueue, type RequestsState } from '../../domain/request/queue.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { type Followed, followViews } from '../followed.ts'
import type { Views } from '../views.ts'

/** The requests that wait, as of everything folded so far or later, with the revision of the last event. */
export type FollowedQueue = Pick<RequestsState, 'queue' | 'revision'>

/** @param load reads the requests; throws StoreUnavailable */
export const followQueue = (views: Pick<Views, 'watch'>, load: () => Promise<FollowedQueue>): Followed<FollowedQueue> =>
  followViews<FollowedQueue, Logged>(
    views,
    () => {
      const value: FollowedQueue = { queue: [], revision: -1 }
      const apply = (event: Logged): void => {
        const { revision } = event
        if (revision > value.revision) Object.assign(value, { queue: foldQueue(value.queue, event), revision })
      }
      return { value, load: async () => void Object.assign(value, await load()), apply }
    },
    (events) => events.filter(({ stream }) => stream === REQUESTS_STREAM),
  )
