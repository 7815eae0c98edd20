import type * as t from 'io-ts'
import { integer, oneOf, opaqueId } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { Criteria } from './criteria.ts'
import { assignedId, recordedTime, windowEnd } from './fields.ts'
import { keepalive } from './reservation.ts'

/** Larger goes first. */
export const priority = integer(-100, 100)
const seconds = integer(1, Number.MAX_SAFE_INTEGER)

const request = { _id: assignedId, user_id: opaqueId }
const offered = { ...request, sut_id: assignedId, sut_reservation_id: assignedId }

/** A user waits for a SUT that fits, or for one SUT, until `expires_at`. Exactly one of `match` and `sut_id` is there. */
const ReservationRequested = closed(
  'ReservationRequested',
  { ...request, duration: seconds, expires_at: recordedTime, priority },
  { match: Criteria, sut_id: assignedId, keepalive },
)
/** A SUT is about to be reserved for the request: next follows ReservationCreated in the SUT's stream, or nothing. */
const RequestOffered = closed('RequestOffered', { ...offered, start_time: windowEnd, end_time: windowEnd }, {})
/** The offered SUT was not reserved, and cannot be any more by this offer. */
const RequestOfferClosed = closed('RequestOfferClosed', offered, {})
/** The offered SUT was reserved. */
const RequestGranted = closed('RequestGranted', offered, {})
const RequestWithdrawn = closed('RequestWithdrawn', request, {})
/** Somebody still wants it: `keepalive` counts anew. */
const RequestKept = closed('RequestKept', request, {})
/** Why it ended before its time: nobody asked for it any more, or its SUT was retired. */
export const ExpiryCause = oneOf('keepalive', 'retired')
export type ExpiryCause = t.TypeOf<typeof ExpiryCause>
const RequestExpired = closed('RequestExpired', request, { cause: ExpiryCause })

export const requestEvents = {
  ReservationRequested,
  RequestOffered,
  RequestOfferClosed,
  RequestGranted,
  RequestKept,
  RequestWithdrawn,
  RequestExpired,
} as const
