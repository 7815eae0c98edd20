import type { Recorded } from '../../domain/event.ts'
import { millisecondsIn } from '../state/moments.ts'
import { type AuditedOffer, copyText, type Report } from '../state/state.ts'
import type { OfferRules } from './matching.ts'

/** A request that waits. */
interface AuditedRequest {
  readonly user_id: string
  /** The SUT that it asks for; undefined if any that fits will do. */
  readonly sut_id: string | undefined
  readonly match: string | undefined
  /** Unix milliseconds. */
  readonly made: number
  readonly expires: number
  /** The last offer, unless it was closed. */
  offer: AuditedOffer | undefined
}

/** The longest time that a request may wait, in milliseconds: 7 days. */
const WAIT_MAX_MS = 604_800_000

type Requested = Extract<Recorded, { readonly type: 'ReservationRequested' }>
type Offered = Extract<Recorded, { readonly type: 'RequestOffered' }>
type OfferEnd = Extract<Recorded, { readonly type: 'RequestGranted' | 'RequestOfferClosed' }>

const requestOf = ({ data }: Requested, made: number, report: Report): AuditedRequest => {
  const { user_id, sut_id, match, expires_at } = data
  const expires = millisecondsIn(expires_at)
  if ((sut_id === undefined) === (match === undefined)) report('asks for a SUT and for any, or for neither')
  if (!(expires >= made && expires <= made + WAIT_MAX_MS)) report(`waits until ${expires_at}`)
  return {
    user_id: copyText(user_id),
    sut_id: sut_id && copyText(sut_id),
    match: match && copyText(JSON.stringify(match)),
    made,
    expires,
    offer: undefined,
  }
}

const judgeOffered = (
  request: AuditedRequest,
  { data }: Offered,
  time: number,
  offers: OfferRules,
  report: Report,
): void => {
  const { offer, user_id, sut_id, made, expires } = request
  if (offer !== undefined) report(`offers a SUT although the offer ${offer._id} was not closed`)
  if (data.user_id !== user_id) report('names another user than its request has')
  if (sut_id !== undefined && data.sut_id !== sut_id) report('offers another SUT than was asked for')
  if (time >= expires && time !== made) report('offers a SUT to a request that has expired')
  request.offer = offers.open(data, time)
}

/** What must have become of an offer in the stream of its SUT. */
const NEEDED = { RequestGranted: 'taken', RequestOfferClosed: 'refused' } as const

const judgeOfferEnd = ({ offer }: AuditedRequest, { type, data }: OfferEnd, report: Report): void => {
  if (offer?._id !== data.sut_reservation_id) report(`ends the offer ${data.sut_reservation_id}, which is not open`)
  else if (offer.status !== NEEDED[type]) report(`is a ${type}, but the offer ${offer._id} is ${offer.status}`)
}

/** Makes the function that checks requests that wait: each is offered one SUT at a time, and ends once. */
export const makeJudgeRequest = (offers: OfferRules) => {
  const waiting = new Map<string, AuditedRequest>()

  const judgeOf = (request: AuditedRequest, event: Recorded, time: number, report: Report): void => {
    switch (event.type) {
      case 'RequestOffered':
        judgeOffered(request, event, time, offers, report)
        break
      case 'RequestOfferClosed':
        judgeOfferEnd(request, event, report)
        request.offer = undefined
        break
      case 'RequestGranted':
        judgeOfferEnd(request, event, report)
        waiting.delete(event.data._id)
        break
      case 'RequestWithdrawn':
      case 'RequestExpired':
        if (request.offer !== undefined) report(`ends a request with the open offer ${request.offer._id}`)
        if (event.type === 'RequestExpired' && time < request.expires) report('expires a request too early')
        if (event.data.user_id !== request.user_id) report('names another user than its request has')
        waiting.delete(event.data._id)
        break
      default:
    }
  }

  return (event: Recorded, time: number, report: Report): void => {
    if (event.type === 'ReservationRequested') {
      waiting.set(copyText(event.data._id), requestOf(event, time, report))
      return
    }
    if (!event.type.startsWith('Request') || !('_id' in event.data)) return
    const request = waiting.get(event.data._id)
    if (request === undefined) report(`is about the request ${event.data._id}, which does not wait`)
    else judgeOf(request, event, time, report)
  }
}
