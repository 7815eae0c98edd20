import type { Logged } from '../../domain/event.ts'
import { evolveWaiting, isOfRequest } from '../../domain/request/state.ts'
import type { Waiting } from '../../domain/request/waiting.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { type Followed, followViews } from '../followed.ts'
import type { Views } from '../views.ts'
import { makeWaitingRequests, type WaitingRequests } from './waiting-requests.ts'

/** Events applied in one turn of the event loop. */
const TURN_SIZE = 2_048

/**
 * The requests that wait, as of everything folded so far or later.
 *
 * @param load reads the requests, and the revision of the last event in their stream that is included; throws
 *   StoreUnavailable
 */
export const followRequests = (
  views: Pick<Views, 'watch'>,
  load: () => Promise<{ readonly requests: Iterable<Waiting>; readonly revision: number }>,
): Followed<WaitingRequests> =>
  followViews<WaitingRequests, Logged>(views, {
    begin: () => {
      const { value, set, remove } = makeWaitingRequests()
      let last = -1
      return {
        value,
        load: async () => {
          const known = await load()
          for (const request of known.requests) set(request)
          last = known.revision
        },
        apply: (event) => {
          if (event.revision <= last || !isOfRequest(event)) return
          last = event.revision
          const before = value.get(event.data._id)
          const changed = evolveWaiting(event, before)
          if (changed !== undefined) set(changed)
          else if (before !== undefined) remove(before)
        },
      }
    },
    changes: (events) => events.filter(({ stream }) => stream === REQUESTS_STREAM),
    turnSize: TURN_SIZE,
  })
