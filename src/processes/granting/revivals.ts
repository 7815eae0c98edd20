import type { Recorded } from '../../domain/event.ts'
import { isOfRequest } from '../../domain/request/state.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { aliveUntil, type Kept } from '../../domain/values/keepalive.ts'

/**
 * Makes the function that says whether an event brings back a request that had been passed over. Bounded by the requests
 * that wait.
 *
 * @param keepaliveOf of a request that was made before
 */
export const makeRevivals = (
  keepaliveOf: (requestId: string) => number | undefined,
): ((event: Recorded) => boolean) => {
  const lives = new Map<string, Kept>()
  return (event) => {
    if (!isOfRequest(event)) return false
    const { type, data, metadata } = event
    const time = epochMillisecondsOf(metadata.time)
    if (type === 'ReservationRequested') {
      if (data.keepalive !== undefined) lives.set(data._id, { keepalive: data.keepalive, began: time, kept: 0 })
    } else if (type === 'RequestKept') {
      const before = lives.get(data._id)
      const keepalive = before?.keepalive ?? keepaliveOf(data._id)
      if (keepalive !== undefined) lives.set(data._id, { keepalive, began: before?.began ?? time, kept: time })
      return before === undefined || aliveUntil(before) <= time
    } else if (type !== 'RequestOffered' && type !== 'RequestOfferClosed') lives.delete(data._id)
    return false
  }
}
