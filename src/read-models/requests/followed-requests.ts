import { evolveWaiting, isOfRequest } from '../../domain/request/state.ts'
import type { Waiting } from '../../domain/request/waiting.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { type Followed, followEvents } from '../followed.ts'
import type { Views } from '../views.ts'

/** The requests that wait, by id, in the order in which they were made. */
export type WaitingRequests = ReadonlyMap<string, Waiting>

/** The requests that wait, and the revision of the last event in their stream that is included. */
export interface KnownRequests {
  readonly requests: readonly Waiting[]
  readonly revision: number
}

export interface FollowRequestsOptions {
  readonly views: Pick<Views, 'watch'>
  /** Reads the stream of requests. @throws StoreUnavailable */
  readonly load: () => Promise<KnownRequests>
}

/** Events applied in one turn of the event loop. */
const TURN_SIZE = 2_048

/** The requests that wait, as of everything folded so far or later. */
export const followRequests = ({ views, load }: FollowRequestsOptions): Followed<WaitingRequests> =>
  followEvents<WaitingRequests>(views, {
    begin: () => {
      const waiting = new Map<string, Waiting>()
      let last = -1
      return {
        value: waiting,
        load: async () => {
          const known = await load()
          for (const request of known.requests) waiting.set(request._id, request)
          last = known.revision
        },
        apply: (event) => {
          if (event.revision <= last || !isOfRequest(event)) return
          last = event.revision
          const { _id } = event.data
          const changed = evolveWaiting(event, waiting.get(_id))
          if (changed === undefined) waiting.delete(_id)
          else waiting.set(_id, changed)
        },
      }
    },
    concerns: ({ stream }) => stream === REQUESTS_STREAM,
    turnSize: TURN_SIZE,
  })
