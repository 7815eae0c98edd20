import * as E from 'fp-ts/lib/Either.js'
import type { Window } from '../calendar/window.ts'
import { type Actor, type Decision, makeDecider } from '../decider.ts'
import type { DataOf, Event } from '../event.ts'
import { refuse } from '../failure.ts'
import { makeId } from '../values/ids.ts'
import { formatMilliseconds, formatWithOffset } from '../values/instant.ts'
import { type KeepRequest, keep, refuseAnotherOf, refuseAny, type WithdrawRequest, withdraw } from './change.ts'
import { expiryOf, type LifeMoment } from './ending.ts'
import {
  allIn,
  compareRequests,
  EMPTY_QUEUE,
  findWaiting,
  foldQueue,
  type Offer,
  offersIn,
  type RequestsState,
  rankedIn,
  type Waiting,
} from './queue.ts'
import { findOpenOffers, firstFor, type Grants } from './rank.ts'

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
  readonly reachableFor: LifeMoment['reachableFor']
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
  readonly reachableFor: LifeMoment['reachableFor']
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

/** Withdraws what a user waits for who may not reserve any more. Those with an open offer are left. */
export interface WithdrawAll {
  readonly type: 'WithdrawAll'
  readonly user_id: string
}

/** Ends what has waited too long, or in vain. Those with an open offer are left. */
export interface ExpireRequests {
  readonly type: 'ExpireRequests'
  /** SUTs that somebody waits for and that have been retired. */
  readonly retired: ReadonlySet<string>
  readonly reachableFor: LifeMoment['reachableFor']
}

export type RequestCommand =
  | MakeRequest
  | OfferSuts
  | EndOffer
  | WithdrawRequest
  | KeepRequest
  | WithdrawAll
  | ExpireRequests

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
  { candidates, grants, reachableFor }: MakeRequest,
  now: number,
): readonly [sutId: string, window: Window] | undefined => {
  const moment = { now, reachableFor, open: findOpenOffers(offersIn(queue)) }
  for (const sutId of candidates) {
    const window = moment.open.hasSut(sutId) ? undefined : grants.windowFor(request, sutId, now)
    if (window === undefined || grants.mayHave(request, moment) !== true) continue
    const first = firstFor(rankedIn(queue), sutId, grants, moment)
    if (first === undefined || compareRequests(request, first.request) < 0) return [sutId, window]
  }
  return undefined
}

const make = (state: RequestsState, command: MakeRequest, now: number): Decision => {
  const { actor, request, wait, random, reservationRandom, reachableFor } = command
  const { duration, ...others } = request
  const expires_at = formatMilliseconds(now + wait * 1000)
  const data = { _id: makeId(now, random), duration, expires_at, ...others }
  const last = Number.POSITIVE_INFINITY
  const waiting: Waiting = { ...data, asker: actor, expiresAt: last, revision: last, made: now, kept: 0 }
  const chosen = chooseFor(state, waiting, command, now)
  if (chosen === undefined && wait === 0) return refuse('no_sut_free', 'No SUT that fits is free now.')
  const full = refuseAny(state) ?? refuseAnotherOf(state, request.user_id, { now, reachableFor })
  if (full !== undefined) return full
  const made: Event = { type: 'ReservationRequested', data }
  if (chosen === undefined) return E.right([made])
  return E.right([made, offered(data._id, offerOf(waiting, ...chosen, now, reservationRandom))])
}

/** Each SUT to whom goes first. A request takes one of them only. */
const offer = (
  { queue }: RequestsState,
  { sutIds, grants, random, reachableFor }: OfferSuts,
  now: number,
): Decision => {
  const events: Event[] = []
  const taken = new Set<string>()
  const open = findOpenOffers(offersIn(queue))
  const left = function* (): Generator<Waiting> {
    for (const request of rankedIn(queue)) if (!taken.has(request._id)) yield request
  }
  for (const sutId of sutIds) {
    const first = open.hasSut(sutId) ? undefined : firstFor(left(), sutId, grants, { open, now, reachableFor })
    if (first === undefined || !first.isCertain) continue
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

const endAll = ({ queue }: RequestsState, endOf: (request: Waiting) => Event | undefined): Decision => {
  const events: Event[] = []
  for (const request of allIn(queue)) {
    const event = endOf(request)
    if (event !== undefined) events.push(event)
    if (events.length === AT_ONCE) break
  }
  return E.right(events)
}

const withdrawAll = (state: RequestsState, { user_id }: WithdrawAll): Decision =>
  endAll(state, ({ _id, user_id: own, offer: open }) =>
    own === user_id && open === undefined ? { type: 'RequestWithdrawn', data: { _id, user_id } } : undefined,
  )

const expire = (state: RequestsState, { retired, reachableFor }: ExpireRequests, now: number): Decision =>
  endAll(state, (request) => {
    const expiry = expiryOf(request, { now, reachableFor }, retired)
    return expiry && { type: 'RequestExpired', data: { _id: request._id, ...expiry, user_id: request.user_id } }
  })

export const requestDecider = makeDecider<RequestsState, RequestCommand>({
  initial: { time: 0, keys: [], revision: -1, queue: EMPTY_QUEUE },
  version: 3,
  fold: (state, event) => ({ ...state, revision: event.revision, queue: foldQueue(state.queue, event) }),
  rules: {
    MakeRequest: make,
    OfferSuts: offer,
    EndOffer: endOffer,
    WithdrawRequest: withdraw,
    KeepRequest: keep,
    WithdrawAll: withdrawAll,
    ExpireRequests: expire,
  },
})
