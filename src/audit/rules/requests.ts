import { factsOf, type Recorded } from '../../domain/event.ts'
import { millisecondsIn } from '../state/moments.ts'
import { type AuditedOffer, copyText, type Report, type Stream } from '../state/state.ts'
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
  /** Undefined unless it has to be kept alive; `at`: when it was made or last kept alive, in Unix milliseconds. */
  readonly life: { readonly seconds: number; at: number } | undefined
  /** The last offer, unless it was closed. */
  offer: AuditedOffer | undefined
}

/** The longest time that a request may wait, in milliseconds: 7 days. */
const WAIT_MAX_MS = 604_800_000

type Requested = Extract<Recorded, { readonly type: 'ReservationRequested' }>
type Offered = Extract<Recorded, { readonly type: 'RequestOffered' }>
type Expired = Extract<Recorded, { readonly type: 'RequestExpired' }>
type OfferEnd = Extract<Recorded, { readonly type: 'RequestGranted' | 'RequestOfferClosed' }>

const requestOf = ({ data }: Requested, made: number, report: Report): AuditedRequest => {
  const { user_id, sut_id, match, expires_at, keepalive } = data
  const expires = millisecondsIn(expires_at)
  if ((sut_id === undefined) === (match === undefined)) report('asks for a SUT and for any, or for neither')
  if (!(expires >= made && expires <= made + WAIT_MAX_MS)) report(`waits until ${expires_at}`)
  return {
    user_id: copyText(user_id),
    sut_id: sut_id && copyText(sut_id),
    match: match && copyText(JSON.stringify(match)),
    made,
    expires,
    life: keepalive === undefined ? undefined : { seconds: keepalive, at: made },
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

/** Recorded when at least half of the time has passed. */
const judgeKept = ({ life, user_id }: AuditedRequest, named: string, time: number, report: Report): void => {
  if (named !== user_id) report('names another user than its request has')
  if (life === undefined) {
    report('keeps a request alive that need not be')
    return
  }
  if (time - life.at < life.seconds * 500) report('keeps a request alive before half of its time has passed')
  life.at = time
}

/** A request expires at its time or, before that, for a cause that it has. */
const judgeExpired = (
  { expires, life, sut_id }: AuditedRequest,
  { data: { cause } }: Expired,
  time: number,
  knownSut: KnownSut,
  report: Report,
): void => {
  if (cause === undefined && time < expires) report('expires a request too early')
  if (cause === 'keepalive' && (life === undefined || time < life.at + life.seconds * 2_000))
    report('expires a request before nobody has asked for it for twice its keepalive')
  if (cause !== 'retired') return
  const sut = sut_id === undefined ? 'any' : knownSut(sut_id)
  if (sut === 'any' || (sut !== undefined && sut.sut.status !== 'retired'))
    report('expires a request for a SUT that is not retired')
}

/** Undefined if there is none, or its stream is uncertain. */
type KnownSut = (sutId: string) => Pick<Stream, 'sut'> | undefined

/** Makes the function that checks requests that wait: each is offered one SUT at a time, and ends once. */
export const makeJudgeRequest = (offers: OfferRules, knownSut: KnownSut) => {
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
      case 'RequestKept':
        judgeKept(request, event.data.user_id, time, report)
        break
      case 'RequestWithdrawn':
      case 'RequestExpired':
        if (request.offer !== undefined) report(`ends a request with the open offer ${request.offer._id}`)
        if (event.type === 'RequestExpired') judgeExpired(request, event, time, knownSut, report)
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
    if (factsOf(event.type).object !== 'sut_request' || !('_id' in event.data)) return
    const request = waiting.get(event.data._id)
    if (request === undefined) report(`is about the request ${event.data._id}, which does not wait`)
    else judgeOf(request, event, time, report)
  }
}
