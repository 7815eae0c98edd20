import type { DataOf, Recorded } from '../../domain/event.ts'
import { COUNTED_MAX } from '../../domain/events/refusals.ts'
import { listenPortDecider } from '../../domain/listen-port/decide.ts'
import { requestDecider } from '../../domain/request/decide.ts'
import { findWaiting } from '../../domain/request/queue.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { LISTEN_PORTS_STREAM, REQUESTS_STREAM, sutStream } from '../../domain/values/ids.ts'
import { millisecondsIn } from './envelope.ts'
import type { Assigned } from './ids.ts'
import type { Report, Streams } from './streams.ts'

/** What spans streams, so that no decider knows it: plain rules on the states of them, where these are certain. */

/** The second append of a creation creates the SUT or abandons it, at the port that the first assigned. */
const judgePortUsed = (
  { _id, listen_port }: DataOf<'SutCreationAbandoned'>,
  createdAt: number | undefined,
  streams: Streams,
  report: Report,
): void => {
  const ports = streams.stateOf(LISTEN_PORTS_STREAM, listenPortDecider)
  if (ports === undefined) return
  const assignment = ports.assigned.find(({ sut_id }) => sut_id === _id)
  if (assignment === undefined) report('refers to a SUT without a listen_port')
  else if (assignment.listen_port !== listen_port)
    report(`has the listen_port ${listen_port}, but the SUT was assigned ${assignment.listen_port}`)
  else if (createdAt !== undefined && assignment.time !== createdAt)
    report('has a different time than the assignment of its listen_port')
}

/** Of a SUT that is retired, or whose creation was broken off. */
const judgePortReleased = ({ sut_id }: DataOf<'ListenPortReleased'>, { sutOf }: Streams, report: Report): void => {
  if (sutOf(sut_id)?.status === 'standing') report(`releases the listen_port of the SUT ${sut_id}, which is standing`)
}

/** A reservation for a request that waited is the one that it was offered. */
const judgeGranted = (data: DataOf<'ReservationCreated'>, { stateOf }: Streams, report: Report): void => {
  const { _id, sut_request_id, end_time } = data
  const requests = stateOf(REQUESTS_STREAM, requestDecider)
  if (sut_request_id === undefined || requests === undefined) return
  const offer = findWaiting(requests.queue, sut_request_id)?.offer
  if (offer?.sut_reservation_id !== _id)
    report(`was made for the request ${sut_request_id}, which was offered another reservation`)
  else if (offer.end * 1_000 !== Date.parse(end_time)) report('has another end than its offer')
}

/** What must have become of an offer in the stream of its SUT. */
const NEEDED = { RequestGranted: 'taken', RequestOfferClosed: 'refused' } as const

const judgeOfferEnd = (
  { type, data: { sut_reservation_id: _id } }: Extract<Recorded, { readonly type: keyof typeof NEEDED }>,
  { offerStatus }: Assigned,
  report: Report,
): void => {
  const status = offerStatus(_id)
  if (status !== undefined && status !== NEEDED[type]) report(`is a ${type}, but the offer ${_id} is ${status}`)
}

const judgeSession = (data: DataOf<'SessionOpened'>, assigned: Assigned, streams: Streams, report: Report): void => {
  const { reservation_id, sut_id } = data
  if (streams.sutOf(sut_id) === undefined) return
  const isOwn = assigned.isHeldBy(reservation_id, data)
  if (isOwn === undefined) report(`is about the reservation ${reservation_id}, which does not exist`)
  else if (!isOwn) report(`names another SUT or user than the reservation ${reservation_id} has`)
}

const judgeRefusals = ({ refusals, others }: DataOf<'RefusalsCounted'>, streams: Streams, report: Report): void => {
  if (refusals.length > COUNTED_MAX) report(`has ${refusals.length} counts, more than ${COUNTED_MAX}`)
  if (refusals.length === 0 && others === undefined) report('counts nothing')
  const names = refusals.map(({ count: _, ...refused }) => canonicalJson(refused))
  if (new Set(names).size < names.length) report('counts the same in two places')
  for (const { sut_id, match } of refusals) {
    if ((sut_id === undefined) === (match === undefined))
      report('counts what names not exactly one of sut_id and match')
    if (sut_id !== undefined && !streams.all().has(sutStream(sut_id)))
      report(`counts refusals of the SUT ${sut_id}, which does not exist`)
  }
}

/** The longest time that a request may wait, in milliseconds: 7 days. */
const WAIT_MAX_MS = 604_800_000

const judgeRequested = (data: DataOf<'ReservationRequested'>, time: number, report: Report): void => {
  const { sut_id, match, expires_at } = data
  const expires = millisecondsIn(expires_at)
  if ((sut_id === undefined) === (match === undefined)) report('asks for a SUT and for any, or for neither')
  if (!(expires >= time && expires <= time + WAIT_MAX_MS)) report(`waits until ${expires_at}`)
}

/** Checks an event, before it is applied, against what is known of other streams. */
export const judgeBetween = (
  event: Recorded,
  time: number,
  { streams, assigned }: { readonly streams: Streams; readonly assigned: Assigned },
  report: Report,
): void => {
  const { type, data } = event
  if (type === 'SutCreated') judgePortUsed(data, time, streams, report)
  if (type === 'SutCreationAbandoned') judgePortUsed(data, undefined, streams, report)
  if (type === 'ListenPortReleased') judgePortReleased(data, streams, report)
  if (type === 'ReservationCreated') judgeGranted(data, streams, report)
  if (type === 'ReservationRequested') judgeRequested(data, time, report)
  if (type === 'RequestGranted' || type === 'RequestOfferClosed') judgeOfferEnd(event, assigned, report)
  if (type === 'SessionOpened') judgeSession(data, assigned, streams, report)
  if (type === 'RefusalsCounted') judgeRefusals(data, streams, report)
}
