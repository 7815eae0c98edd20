import * as E from 'fp-ts/lib/Either.js'
import type { Actor, Decision } from '../decider.ts'
import { type Failure, refuse } from '../failure.ts'
import { keptAgainFrom } from '../values/keepalive.ts'
import { lengthOf } from '../values/sorted-list.ts'
import { isPassedOver, type LifeMoment, lifeOf } from './ending.ts'
import { findWaiting, type RequestStatus, type RequestsState, rankedIn } from './queue.ts'

/** What people do about a request that waits: withdraw it, and keep it alive; and how many may wait. */

/** Requests of a user, and of all, that wait at the same time. */
const WAITING_OF_USER_MAX = 100
const WAITING_MAX = 10_000

const refuseTooMany = (most: string): E.Either<Failure, never> =>
  refuse('too_many_requests', `At most ${most} wait at the same time.`)

/** Refuses one more request where as many wait as may. */
export const refuseAny = ({ queue }: RequestsState): E.Either<Failure, never> | undefined =>
  lengthOf(queue) >= WAITING_MAX ? refuseTooMany(`${WAITING_MAX} requests`) : undefined

/** Refuses one more request of a user who has as many as may wait. Those that are passed over do not count. */
export const refuseAnotherOf = (
  { queue }: RequestsState,
  userId: string,
  moment: LifeMoment,
): E.Either<Failure, never> | undefined => {
  let own = 0
  for (const each of rankedIn(queue))
    own += each.user_id === userId && each.create === undefined && !isPassedOver(each, moment) ? 1 : 0
  return own >= WAITING_OF_USER_MAX ? refuseTooMany(`${WAITING_OF_USER_MAX} requests of a user`) : undefined
}

/** A request as its document shows it, and who does something about it. */
interface OfRequest {
  readonly actor: Actor
  readonly _id: string
  readonly user_id: string
  readonly status: RequestStatus
  readonly sut_reservation_id: string | null
}

/** Keeps a request alive that was made with `keepalive`: its time counts anew. */
interface KeepRequest extends OfRequest {
  readonly reachableFor: LifeMoment['reachableFor']
}

/** Refuses a command about a request that does not wait any more, by what its document shows. */
const refuseEnded = (status: RequestStatus, sut_reservation_id: string | null): E.Either<Failure, never> => {
  switch (status) {
    case 'granted':
      return refuse('request_granted', 'The request has been granted. Cancel its reservation.', {
        help: { ...(sut_reservation_id !== null && { sut_reservation_id }) },
      })
    case 'withdrawn':
      return refuse('request_over', 'The request has been withdrawn.')
    case 'expired':
      return refuse('request_over', 'The request has expired.')
    // Its document is older than its end.
    case 'waiting':
      return refuse('request_over', 'The request does not wait any more.')
  }
}

export const withdraw = ({ queue }: RequestsState, command: OfRequest): Decision => {
  const { actor, _id, user_id, status, sut_reservation_id } = command
  if (actor.role === 'tester' && actor._id !== user_id)
    return refuse('not_your_request', 'Testers can withdraw their own requests only.')
  const request = findWaiting(queue, _id)
  // The sender has ended an open offer first. Another one has been made meanwhile.
  if (request?.offer !== undefined) return refuse('unavailable', 'A SUT is being offered to the request. Try again.')
  if (request !== undefined) return E.right([{ type: 'RequestWithdrawn', data: { _id, user_id } }])
  return status === 'withdrawn' ? E.right([]) : refuseEnded(status, sut_reservation_id)
}

/** Recorded only when less than half of the time is left. One that comes back takes a place of its user again. */
export const keep = (state: RequestsState, command: KeepRequest, now: number): Decision => {
  const { actor, _id, user_id, status, sut_reservation_id, reachableFor } = command
  if (actor.role === 'tester' && actor._id !== user_id)
    return refuse('not_your_request', 'Testers can keep their own requests only.')
  const request = findWaiting(state.queue, _id)
  if (request === undefined) return refuseEnded(status, sut_reservation_id)
  const life = lifeOf(request)
  if (life === undefined)
    return refuse('not_kept_alive', 'The request was made without keepalive. It waits until it expires.')
  if (now < keptAgainFrom(life)) return E.right([])
  const moment = { now, reachableFor }
  const full = isPassedOver(request, moment) ? refuseAnotherOf(state, user_id, moment) : undefined
  return full ?? E.right([{ type: 'RequestKept', data: { _id, user_id } }])
}
