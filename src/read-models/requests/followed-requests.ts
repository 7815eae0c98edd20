import { setImmediate as turn } from 'node:timers/promises'
import type { Recorded } from '../../domain/event.ts'
import { evolveWaiting, isOfRequest } from '../../domain/request/state.ts'
import type { Waiting } from '../../domain/request/waiting.ts'
import { REQUESTS_STREAM } from '../../domain/values/ids.ts'
import { makeKept } from '../kept.ts'
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

/** The requests that wait, as of everything folded so far or later. */
export interface FollowedRequests {
  /** Read from their stream first, then kept up to date by each event. @throws StoreUnavailable if they cannot be read */
  readonly get: () => WaitingRequests | Promise<WaitingRequests>
  readonly close: () => void
}

/** Events applied in one turn of the event loop. */
const TURN_SIZE = 2_048

/** Nothing is read before the first call. */
export const followRequests = ({ views, load }: FollowRequestsOptions): FollowedRequests => {
  let unwatch: (() => void) | undefined

  const forget = (): void => {
    unwatch?.()
    followed.forget()
  }

  const read = async (): Promise<WaitingRequests> => {
    /** Events folded while the stream is being read. */
    let missed: Recorded[] | undefined = []
    const waiting = new Map<string, Waiting>()
    let last = -1
    const apply = (event: Recorded): void => {
      if (event.revision <= last || !isOfRequest(event)) return
      last = event.revision
      const { _id } = event.data
      const changed = evolveWaiting(event, waiting.get(_id))
      if (changed === undefined) waiting.delete(_id)
      else waiting.set(_id, changed)
    }
    unwatch = views.watch((events) => {
      for (const event of events) {
        if (event.stream !== REQUESTS_STREAM) continue
        if (missed === undefined) apply(event)
        else missed.push(event)
      }
    })
    try {
      const known = await load()
      for (const request of known.requests) waiting.set(request._id, request)
      last = known.revision
      for (const [n, event] of missed.entries()) {
        if (n % TURN_SIZE === TURN_SIZE - 1) await turn()
        apply(event)
      }
      missed = undefined
      return waiting
    } catch (error) {
      forget()
      throw error
    }
  }

  const followed = makeKept<WaitingRequests>(read)

  return { get: followed.get, close: forget }
}
