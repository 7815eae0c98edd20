import * as E from 'fp-ts/lib/Either.js'
import type { Window } from '../calendar/window.ts'
import type { Actor, Decider, Decision } from '../decider.ts'
import type { DataOf, Event } from '../event.ts'
import { type Failure, refuse } from '../failure.ts'
import { makeId } from '../values/ids.ts'
import { formatMilliseconds, formatWithOffset } from '../values/instant.ts'
import { compareRequests, findOpenOffers, firstFor, type Grants } from './rank.ts'
import {
  evolveRequests,
  initialRequests,
  packRequests,
  type RequestsState,
  requestsWeight,
  unpackRequests,
} from './state.ts'
import type { RequestStatus } from './status.ts'
import { allIn, findWaiting, type Offer, offersIn, rankedIn, type Waiting } from './waiting.ts'

/** Requests of a user, and of all, that wait at the same time. */
export const WAITING_OF_USER_MAX = 100
export const WAITING_MAX = 10_000
/** Events of one append that expire or withdraw: 100 KB. */
const AT_ONCE = 200

/** Makes a request that waits, and offers it a SUT in the same append if one is free. */
export interface MakeRequest {
  readonly type: 'MakeRequest'
  readonly actor: Actor
  readonly request: Omit<DataOf<'ReservationRequested'>, '_id' | 'expires_at'>
  /** The SUTs that it could be granted now, the best first. */
  readonly candidates: readonly string[]
  readonly grants: Grants
  /** Seconds. 0 is refused where nothing can be offered at once. */
  readonly wait: number
  /** 8 random bytes in hex for the ids of the request, and of its reservation. */
  readonly random: string
  readonly reservationRandom: string
}

/** Offers SUTs that may have become free, each to the request that goes first. */
export interface OfferSuts {
  readonly type: 'OfferSuts'
  /** A few: each is compared with all that wait. */
  readonly sutIds: readonly string[]
  readonly grants: Grants
  /** 8 random bytes in hex, for the id of a reservation. */
  readonly random: () => string
}

/** What became of an offer: `granted` if its reservation is in the SUT's stream, `closed` if it never can be. */
export interface EndOffer {
  readonly type: 'EndOffer'
  readonly _id: string
  readonly sut_reservation_id: string
  readonly outcome: 'granted' | 'closed'
}

export interface WithdrawRequest {
  readonly type: 'WithdrawRequest'
  readonly actor: Actor
  readonly _id: string
  readonly user_id: string
  /** As its document shows it. */
  readonly status: RequestStatus
  readonly sut_reservation_id: string | null
}

/** Withdraws what a user waits for who may not reserve any more. Those with an open offer are left. */
export interface WithdrawAll {
  readonly type: 'WithdrawAll'
  readonly user_id: string
}

/** Ends what has waited too long. Those with an open offer are left. */
export interface ExpireRequests {
  readonly type: 'ExpireRequests'
}

export type RequestCommand = MakeRequest | OfferSuts | EndOffer | WithdrawRequest | WithdrawAll | ExpireRequests

const offered = (_id: string, { user_id, sut_id, sut_reservation_id, start, end }: Offer): Event => ({
  type: 'RequestOffered',
  data: {
    _id,
    end_time: formatWithOffset(end, 0),
    start_time: formatWithOffset(start, 0),
    sut_id,
    sut_reservation_id,
    user_id,
  },
})

const offerOf = (
  { user_id, duration }: Waiting,
  sut_id: string,
  { start, end }: Window,
  time: number,
  random: string,
): Offer => ({ user_id, sut_id, sut_reservation_id: makeId(time, random), start, end, duration, time })

/** The first candidate that nobody before the request could be granted. */
const chooseFor = (
  { queue }: RequestsState,
  request: Waiting,
  { candidates, grants }: MakeRequest,
  now: number,
): readonly [sutId: string, window: Window] | undefined => {
  const moment = { now, open: findOpenOffers(offersIn(queue)) }
  for (const sutId of candidates) {
    const window = moment.open.hasSut(sutId) ? undefined : grants.windowFor(request, sutId, moment)
    if (window === undefined || window === 'unknown') continue
    const first = firstFor(rankedIn(queue), sutId, grants, moment)
    if (first === undefined || compareRequests(request, first.request) < 0) return [sutId, window]
  }
  return undefined
}

const refuseTooMany = (most: string): E.Either<Failure, never> =>
  refuse('too_many_requests', `At most ${most} wait at the same time.`)

const make = (state: RequestsState, command: MakeRequest, now: number): Decision => {
  const { actor, request, wait, random, reservationRandom } = command
  const { queue } = state
  const { duration, ...others } = request
  const expires_at = formatMilliseconds(now + wait * 1000)
  const data = { _id: makeId(now, random), duration, expires_at, ...others }
  const last = Number.POSITIVE_INFINITY
  const waiting: Waiting = { ...data, asker: actor, expiresAt: last, revision: last }
  const chosen = chooseFor(state, waiting, command, now)
  if (chosen === undefined && wait === 0) return refuse('no_sut_free', 'No SUT that fits is free now.')
  if (queue.size >= WAITING_MAX) return refuseTooMany(`${WAITING_MAX} requests`)
  let own = 0
  for (const { user_id } of allIn(queue)) own += user_id === request.user_id ? 1 : 0
  if (own >= WAITING_OF_USER_MAX) return refuseTooMany(`${WAITING_OF_USER_MAX} requests of a user`)
  const made: Event = { type: 'ReservationRequested', data }
  if (chosen === undefined) return E.right([made])
  return E.right([made, offered(data._id, offerOf(waiting, ...chosen, now, reservationRandom))])
}

/** Each SUT to whom goes first. A request takes one of them only. */
const offer = ({ queue }: RequestsState, { sutIds, grants, random }: OfferSuts, now: number): Decision => {
  const events: Event[] = []
  const taken = new Set<string>()
  const open = findOpenOffers(offersIn(queue))
  const left = function* (): Generator<Waiting> {
    for (const request of rankedIn(queue)) if (!taken.has(request._id)) yield request
  }
  for (const sutId of sutIds) {
    const first = open.hasSut(sutId) ? undefined : firstFor(left(), sutId, grants, { open, now })
    if (first === undefined || first.window === 'unknown') continue
    const { request, window } = first
    const made = offerOf(request, sutId, window, now, random())
    taken.add(request._id)
    open.add(made)
    events.push(offered(request._id, made))
  }
  return E.right(events)
}

const endOffer = ({ queue }: RequestsState, { _id, sut_reservation_id, outcome }: EndOffer): Decision => {
  const request = findWaiting(queue, _id)
  if (request?.offer?.sut_reservation_id !== sut_reservation_id) return E.right([])
  const { user_id, offer: open } = request
  const data = { _id, sut_id: open.sut_id, sut_reservation_id, user_id }
  return E.right([{ type: outcome === 'granted' ? 'RequestGranted' : 'RequestOfferClosed', data }])
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

const withdraw = ({ queue }: RequestsState, command: WithdrawRequest): Decision => {
  const { actor, _id, user_id, status, sut_reservation_id } = command
  if (actor.role === 'tester' && actor._id !== user_id)
    return refuse('not_your_request', 'Testers can withdraw their own requests only.')
  const request = findWaiting(queue, _id)
  // The sender has ended an open offer first. Another one has been made meanwhile.
  if (request?.offer !== undefined) return refuse('unavailable', 'A SUT is being offered to the request. Try again.')
  if (request !== undefined) return E.right([{ type: 'RequestWithdrawn', data: { _id, user_id } }])
  return status === 'withdrawn' ? E.right([]) : refuseEnded(status, sut_reservation_id)
}

const endAll = (
  { queue }: RequestsState,
  type: 'RequestWithdrawn' | 'RequestExpired',
  isMeant: (request: Waiting) => boolean,
): Decision => {
  const events: Event[] = []
  for (const request of allIn(queue)) {
    const { _id, user_id, offer: open } = request
    if (open === undefined && isMeant(request)) events.push({ type, data: { _id, user_id } })
    if (events.length === AT_ONCE) break
  }
  return E.right(events)
}

const decide = (state: RequestsState, command: RequestCommand, now: number): Decision => {
  switch (command.type) {
    case 'MakeRequest':
      return make(state, command, now)
    case 'OfferSuts':
      return offer(state, command, now)
    case 'EndOffer':
      return endOffer(state, command)
    case 'WithdrawRequest':
      return withdraw(state, command)
    case 'WithdrawAll':
      return endAll(state, 'RequestWithdrawn', ({ user_id }) => user_id === command.user_id)
    case 'ExpireRequests':
      return endAll(state, 'RequestExpired', ({ expiresAt }) => expiresAt <= now)
  }
}

export const requestDecider: Decider<RequestsState, RequestCommand> = {
  initial: initialRequests,
  version: 1,
  evolve: evolveRequests,
  decide,
  weight: requestsWeight,
  pack: packRequests,
  unpack: unpackRequests,
}
