import type * as t from 'io-ts'
import { integer, oneOf, opaqueId } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { REQUESTS_STREAM } from '../values/ids.ts'
import { Criteria } from './criteria.ts'
import { declare, inStream } from './declaration.ts'
import { assignedId, recordedTime, windowEnd } from './fields.ts'
import { keepalive } from './reservation.ts'

/** Larger goes first. */
export const priority = integer(-100, 100)
const seconds = integer(1, Number.MAX_SAFE_INTEGER)

const request = { _id: assignedId, user_id: opaqueId }
const offered = { ...request, sut_id: assignedId, sut_reservation_id: assignedId }

const ofRequest = {
  object: 'sut_request',
  // What follows decides how it is answered.
  answersNothing: true,
  isIn: inStream(REQUESTS_STREAM),
  by: ['users'],
} as const

/** A user waits for a SUT that fits, or for one SUT, until `expires_at`. Exactly one of `match` and `sut_id` is there. */
const ReservationRequested = declare(
  closed(
    'ReservationRequested',
    { ...request, duration: seconds, expires_at: recordedTime, priority },
    { match: Criteria, sut_id: assignedId, keepalive },
  ),
  { ...ofRequest, added: [[]] },
)
/** A SUT is about to be reserved for the request: next follows ReservationCreated in the SUT's stream, or nothing. */
const RequestOffered = declare(
  closed('RequestOffered', { ...offered, start_time: windowEnd, end_time: windowEnd }, {}),
  { ...ofRequest, changesNothing: true, by: ['users', 'schedule'] },
)
/** The offered SUT was not reserved, and cannot be any more by this offer. */
const RequestOfferClosed = declare(closed('RequestOfferClosed', offered, {}), {
  ...ofRequest,
  changesNothing: true,
  by: ['schedule'],
})
/** The offered SUT was reserved. */
const RequestGranted = declare(closed('RequestGranted', offered, {}), { ...ofRequest, by: ['schedule'] })
const RequestWithdrawn = declare(closed('RequestWithdrawn', request, {}), { ...ofRequest, by: ['users', 'schedule'] })
/** Somebody still wants it: `keepalive` counts anew. */
const RequestKept = declare(closed('RequestKept', request, {}), { ...ofRequest, changesNothing: true })
/** Why it ended before its time: nobody asked for it any more, or its SUT was retired. */
export const ExpiryCause = oneOf('keepalive', 'retired')
export type ExpiryCause = t.TypeOf<typeof ExpiryCause>
const RequestExpired = declare(closed('RequestExpired', request, { cause: ExpiryCause }), {
  ...ofRequest,
  by: ['schedule'],
  added: [['cause']],
})

export const requestEvents = {
  ReservationRequested,
  RequestOffered,
  RequestOfferClosed,
  RequestGranted,
  RequestKept,
  RequestWithdrawn,
  RequestExpired,
} as const
