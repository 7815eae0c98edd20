/** What people do about a request that waits: withdraw it, and keep it alive; and how many may wait. */

import * as E from 'fp-ts/lib/Either.js'
import type { Actor, Decision } from '../decider.ts'
import { type Failure, refuse } from '../failure.ts'
import { isForbidden } from '../reservation/rules.ts'
import { keptAgainFrom } from '../values/keepalive.ts'
import { findWaiting, type RequestsState } from './queue.ts'
import { isPassedOver, type LifeMoment } from './rank.ts'

/** Requests of a user, and of all, that wait at the same time. */
const WAITING_OF_USER_MAX = 100
const WAITING_MAX = 10_000

const refuseTooMany = (most: string): E.Either<Failure, never> =>
  refuse('too_many_requests', `At most ${most} wait at the same time.`)

/** Refuses one more request where as many wait as may. */
export const refuseAny = ({ queue }: RequestsState): E.Either<Failure, never> | undefined =>
  queue.length >= WAITING_MAX ? refuseTooMany(`${WAITING_MAX} requests`) : undefined

/** Refuses one more request of a user who has as many as may wait. Those that are passed over do not count. */
export const refuseAnotherOf = (
  { queue }: RequestsState,
  userId: string,
  moment: LifeMoment,
): E.Either<Failure, never> | undefined => {
  const own = queue.filter(
    (each) => each.user_id === userId && each.create === undefined && !isPassedOver(each, moment),
  )
  return own.length >= WAITING_OF_USER_MAX ? refuseTooMany(`${WAITING_OF_USER_MAX} requests of a user`) : undefined
}

/** Somebody does something about a request of a user. */
interface OfRequest {
  readonly actor: Actor
  readonly _id: string
  readonly user_id: string
}

/** Keeps a request alive that was made with `keepalive`: its time counts anew. */
interface KeepRequest extends OfRequest {
  readonly reachableFor: LifeMoment['reachableFor']
}

/** How it ended is in its document. */
const refuseOver = () => refuse('request_over', 'The request does not wait any more.')

export const withdraw = ({ queue }: RequestsState, { actor, _id, user_id }: OfRequest): Decision => {
  if (isForbidden(actor, user_id)) return refuse('not_your_request', 'Testers can withdraw their own requests only.')
  const request = findWaiting(queue, _id)
  if (request === undefined) return refuseOver()
  // The sender has ended an open offer first. Another one has been made meanwhile.
  if (request.offer !== undefined) return refuse('unavailable', 'A SUT is being offered to the request. Try again.')
  return E.right([{ type: 'RequestWithdrawn', data: { _id, user_id: request.user_id } }])
}

/** Recorded only when less than half of the time is left. One that comes back takes a place of its user again. */
export const keep = (state: RequestsState, command: KeepRequest, now: number): Decision => {
  const { actor, _id, user_id, reachableFor } = command
  if (isForbidden(actor, user_id)) return refuse('not_your_request', 'Testers can keep their own requests only.')
  const request = findWaiting(state.queue, _id)
  if (request === undefined) return refuseOver()
  if (request.life === undefined)
    return refuse('not_kept_alive', 'The request was made without keepalive. It waits until it expires.')
  if (now < keptAgainFrom(request.life)) return E.right([])
  const moment = { now, reachableFor }
  const full = isPassedOver(request, moment) ? refuseAnotherOf(state, request.user_id, moment) : undefined
  return full ?? E.right([{ type: 'RequestKept', data: { _id, user_id: request.user_id } }])
}
