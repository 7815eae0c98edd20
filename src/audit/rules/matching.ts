import type { DataOf, Recorded } from '../../domain/event.ts'
import { beginsWithSecond, judgeNewId } from '../state/ids.ts'
import { type AuditedOffer, copyText, type Report, type Stream } from '../state/state.ts'
import type { Assigned } from './sessions.ts'

/** The mark of an id that was offered, in place of its holder's. */
const OFFERED = 0xffff_ffff
/** For as long an idempotency key is known, and its offers. */
const KNOWN_MS = 24 * 3_600_000

/** An offer that keeps nothing of the event that made it in memory. */
const openOffer = (offered: Omit<AuditedOffer, 'status'>): AuditedOffer => ({
  _id: copyText(offered._id),
  request_id: offered.request_id && copyText(offered.request_id),
  sut_id: copyText(offered.sut_id),
  user_id: copyText(offered.user_id),
  end_time: copyText(offered.end_time),
  time: offered.time,
  status: 'open',
})

/**
 * Checks the offers of requests with criteria, and of those that wait: one at a time, each of which is taken up or
 * refused, and not both.
 */
export const makeOfferRules = ({ ids, markOf }: Assigned) => {
  const open = new Map<string, AuditedOffer>()
  let isUncertain = false

  const note = (offered: Omit<AuditedOffer, 'status'>): AuditedOffer => {
    const offer = openOffer(offered)
    open.set(offer._id, offer)
    return offer
  }

  const judgeOffered = (stream: Stream, data: DataOf<'MatchOffered'>, time: number, report: Report): void => {
    const before = stream.offer
    const isEnded = before === undefined || before.status === 'refused' || time - before.time >= KNOWN_MS
    if (!isEnded && !isUncertain)
      report(
        `offers a SUT although the offer ${before._id} was ${before.status === 'open' ? 'not refused' : 'taken up'}`,
      )
    stream.offer = note({ ...data, request_id: undefined, time })
  }

  /** Ends an offer. */
  const end = (data: DataOf<'ReservationOfferRefused'>, status: 'taken' | 'refused', report: Report) => {
    const offer = open.get(data._id)
    if (offer === undefined) return undefined
    if (offer.sut_id !== data.sut_id || offer.user_id !== data.user_id)
      report(`names another SUT or user than the offer ${data._id} has`)
    offer.status = status
    open.delete(data._id)
    return offer
  }

  const judgeTaken = (data: DataOf<'ReservationCreated'>, report: Report): void => {
    const offer = end(data, 'taken', report)
    if (data.sut_request_id !== offer?.request_id && !isUncertain)
      report(`was made for the request ${data.sut_request_id}, which was offered another reservation`)
    if (offer === undefined) return
    if (data.match === undefined && offer.request_id === undefined)
      report('takes up an offer, but was not made for criteria')
    if (offer.end_time !== data.end_time) report('has another end than its offer')
  }

  return {
    /** Notes the offer of a SUT to a request that waits. */
    open: ({ _id: request_id, sut_reservation_id: _id, ...offered }: DataOf<'RequestOffered'>, time: number) =>
      note({ ...offered, _id, request_id, time }),
    /** Checks the id that an event assigns, if it offers a SUT or takes up an offer. False for other events. */
    judgeId: ({ type, data }: Recorded, time: number, report: Report): boolean => {
      if (type === 'MatchOffered' || type === 'RequestOffered') {
        judgeNewId(type === 'MatchOffered' ? data._id : data.sut_reservation_id, time, ids, report, OFFERED)
        return true
      }
      if (type !== 'ReservationCreated') return false
      const { _id } = data
      if (ids.find(_id) !== OFFERED) return false
      ids.change(_id, markOf(data))
      if (!beginsWithSecond(_id, time)) report(`takes up the offer ${_id} at another second`)
      if (!open.has(_id)) report(`takes up the offer ${_id}, which was refused`)
      return true
    },
    judge: (stream: Stream, { type, data }: Recorded, time: number, report: Report): void => {
      if (type === 'MatchOffered') judgeOffered(stream, data, time, report)
      else if (type === 'ReservationCreated') judgeTaken(data, report)
      else if (type === 'ReservationOfferRefused' && end(data, 'refused', report) === undefined && !isUncertain)
        report(`refuses the offer ${data._id}, which is not open`)
    },
    /** An event of theirs may be missing from here on. */
    skip: (): void => {
      isUncertain = true
    },
  }
}

export type OfferRules = ReturnType<typeof makeOfferRules>
