import * as E from 'fp-ts/lib/Either.js'
import { formatWindow, type RequestedWindow, resolveWindow, type WrittenWindow } from '../calendar/window.ts'
import { type Actor, type CommandsOf, type Decision, makeDecider } from '../decider.ts'
import type { DataOf, Event, Recorded } from '../event.ts'
import { refuse } from '../failure.ts'
import { forgetRecord } from '../idempotency-records.ts'
import type { Offer } from '../matching/candidates.ts'
import { type QuotaUse, quartersOf, refuseExceeding } from '../reservation/quota.ts'
import { makeId } from '../values/ids.ts'
import { formatMilliseconds } from '../values/instant.ts'
import { keep, refuseAnotherOf, refuseAny, withdraw } from './change.ts'
import { compareRequests, findWaiting, foldQueue, offersIn, type RequestsState, type Waiting } from './queue.ts'
import { expiryOf, firstFor, type Grants, isOfferedIn, type LifeMoment, type Moment } from './rank.ts'

/** Events of one append that expire or withdraw: 100 KB. */
const AT_ONCE = 200

/** Makes a request, and offers it a SUT in the same append if one is free. */
interface MakeRequest {
  readonly actor: Actor
  /** Its `start_time`, if it has one, follows from its offer. */
  readonly request: Omit<DataOf<'ReservationRequested'>, '_id' | 'expires_at'>
  /** The SUTs that it could be granted, the best first. Each decision goes through them anew. */
  readonly candidates: Iterable<string>
  /** The window of a reservation that does not wait. It need only be behind those who wait. */
  readonly window?: RequestedWindow
  readonly grants: Grants
  readonly reachableFor: LifeMoment['reachableFor']
  /** Seconds. 0 is refused where nothing can be offered at once. */
  readonly wait: number
  /** The quota of its holder, for one that cannot wait until that allows it. */
  readonly quota?: QuotaUse | undefined
  /** 8 random bytes in hex for the id of the request. */
  readonly random: string
  /** 8 random bytes in hex for the id of the reservation. */
  readonly reservationRandom: string
}

/** Offers SUTs that may have become free, each to the request that goes first. */
interface OfferSuts {
  /** A few: each is compared with all that wait. */
  readonly sutIds: readonly string[]
  readonly grants: Grants
  readonly reachableFor: LifeMoment['reachableFor']
  /** 8 random bytes in hex, for the id of a reservation. */
  readonly random: () => string
}

/** What became of an offer: `granted` if its reservation is in the SUT's stream, `closed` if it never can be. */
interface EndOffer {
  readonly _id: string
  readonly sut_reservation_id: string
  readonly outcome: 'granted' | 'closed'
}

/** Ends what has waited too long, or in vain. Those with an open offer are left. */
interface ExpireRequests {
  /** SUTs that somebody waits for and that have been retired. */
  readonly retired: ReadonlySet<string>
  readonly reachableFor: LifeMoment['reachableFor']
}

const offered = (_id: string, offer: Offer): Event => ({
  type: 'RequestOffered',
  data: {
    ...{ _id, ...formatWindow(offer), sut_id: offer.sut_id },
    ...{ sut_reservation_id: offer.sut_reservation_id, user_id: offer.user_id },
  },
})

const offerOf = (
  { user_id, duration }: Waiting,
  sut_id: string,
  window: WrittenWindow,
  time: number,
  random: string,
): Offer => ({ user_id, sut_id, sut_reservation_id: makeId(time, random), ...window, duration, time })

const IN_UTC = { startOffset: 0, endOffset: 0 }

/** The window for which a request could be granted a SUT, but for those who go before it. */
const windowFor = (
  request: Waiting,
  sutId: string,
  { window: asked, grants }: MakeRequest,
  moment: Moment,
): WrittenWindow | undefined => {
  if (asked !== undefined) {
    const { start, end, gridded } = resolveWindow(asked, moment.now)
    return { ...gridded, startOffset: start.offset, endOffset: end.offset }
  }
  const window = grants.windowFor(request, sutId, moment.now)
  return window && grants.mayHave(request, moment) === true ? { ...IN_UTC, ...window } : undefined
}

/** An offer of the first candidate that nobody before the request could be granted. */
const chooseFor = (
  { queue }: RequestsState,
  request: Waiting,
  command: MakeRequest,
  now: number,
): Offer | undefined => {
  const { candidates, grants, reachableFor, reservationRandom } = command
  const moment = { now, reachableFor, open: offersIn(queue) }
  for (const sutId of candidates) {
    const window = windowFor(request, sutId, command, moment)
    if (window === undefined || isOfferedIn(moment.open, sutId, window)) continue
    const first = firstFor(queue, sutId, grants, moment)
    if (first === undefined || compareRequests(request, first.request) < 0)
      return offerOf(request, sutId, window, now, reservationRandom)
  }
  return undefined
}

const make = (state: RequestsState, command: MakeRequest, now: number): Decision => {
  const { actor, request, wait, random, window, quota, reachableFor } = command
  const { duration, user_id } = request
  const expires_at = formatMilliseconds(now + wait * 1000)
  const data = { _id: makeId(now, random), expires_at, ...request }
  const last = Number.POSITIVE_INFINITY
  const waiting: Waiting = { ...data, asker: actor, expiresAt: last, revision: last }
  const chosen = chooseFor(state, waiting, command, now)
  if (chosen === undefined && wait === 0) return refuse('no_sut_free', 'No SUT that fits is free now.')
  const added = chosen && [{ start: chosen.start, quarters: quartersOf(duration), reservations: 1 as const }]
  const exceeding = quota && added && refuseExceeding(quota, added, now)
  if (exceeding !== undefined) return exceeding
  const moment = { now, reachableFor }
  const full = window === undefined ? (refuseAny(state) ?? refuseAnotherOf(state, user_id, moment)) : undefined
  if (full !== undefined) return full
  if (chosen === undefined) return E.right([{ type: 'ReservationRequested', data }])
  const offer = offered(data._id, chosen)
  const start = window && { start_time: formatWindow(chosen).start_time }
  return E.right([{ type: 'ReservationRequested', data: { ...data, ...start } }, offer])
}

/** Each SUT to whom goes first. A request takes one of them only. */
const offerSuts = (
  { queue }: RequestsState,
  { sutIds, grants, random, reachableFor }: OfferSuts,
  now: number,
): Decision => {
  const events: Event[] = []
  const taken = new Set<string>()
  const open = [...offersIn(queue)]
  for (const sutId of sutIds) {
    const left = Iterator.from(queue).filter(({ _id }) => !taken.has(_id))
    const first = firstFor(left, sutId, grants, { open, now, reachableFor })
    if (first === undefined || !first.isCertain || isOfferedIn(open, sutId, first.window)) continue
    const { request, window } = first
    const offer = offerOf(request, sutId, { ...IN_UTC, ...window }, now, random())
    taken.add(request._id)
    open.push(offer)
    events.push(offered(request._id, offer))
  }
  return E.right(events)
}

const endOffer = ({ queue }: RequestsState, { _id, sut_reservation_id, outcome }: EndOffer): Decision => {
  const request = findWaiting(queue, _id)
  if (request?.offer?.sut_reservation_id !== sut_reservation_id) return E.right([])
  const { user_id, offer, create } = request
  const data = { _id, sut_id: offer.sut_id, sut_reservation_id, user_id }
  if (outcome === 'granted') return E.right([{ type: 'RequestGranted', data }])
  const closed: Event = { type: 'RequestOfferClosed', data }
  // A reservation does not wait.
  return E.right(create === undefined ? [closed] : [closed, { type: 'RequestExpired', data: { _id, user_id } }])
}

const endAll = ({ queue }: RequestsState, endOf: (request: Waiting) => Event | undefined): Decision => {
  const events: Event[] = []
  for (const request of queue) {
    const event = endOf(request)
    if (event !== undefined) events.push(event)
    if (events.length === AT_ONCE) break
  }
  return E.right(events)
}

/** Withdraws what a user waits for who may not reserve any more. Those with an open offer are left. */
const withdrawAll = (state: RequestsState, { user_id }: { readonly user_id: string }): Decision =>
  endAll(state, ({ _id, user_id: own, offer }) =>
    own === user_id && offer === undefined ? { type: 'RequestWithdrawn', data: { _id, user_id } } : undefined,
  )

const expire = (state: RequestsState, { retired, reachableFor }: ExpireRequests, now: number): Decision =>
  endAll(state, (request) => {
    const expiry = expiryOf(request, { now, reachableFor }, retired)
    return expiry && { type: 'RequestExpired', data: { _id: request._id, ...expiry, user_id: request.user_id } }
  })

/** A reservation that could not be made was never asked for: the key of its request may come again. */
const fold = (state: RequestsState, event: Recorded): RequestsState => {
  const key = event.type === 'RequestExpired' ? findWaiting(state.queue, event.data._id)?.create?.key : undefined
  const keys = key === undefined ? state.keys : forgetRecord(state.keys, key)
  return { ...state, keys, revision: event.revision, queue: foldQueue(state.queue, event) }
}

const rules = {
  MakeRequest: make,
  OfferSuts: offerSuts,
  EndOffer: endOffer,
  WithdrawRequest: withdraw,
  KeepRequest: keep,
  WithdrawAll: withdrawAll,
  ExpireRequests: expire,
}

export type RequestCommand = CommandsOf<typeof rules>

export const requestDecider = makeDecider<RequestsState, RequestCommand>({
  initial: { time: 0, keys: [], revision: -1, queue: [] },
  version: 6,
  fold,
  rules,
})
