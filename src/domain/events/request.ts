import type * as t from 'io-ts'
import { integer, oneOf, opaqueId } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { REQUESTS_STREAM } from '../values/ids.ts'
import { Criteria } from './criteria.ts'
import { declare, inStream, type Notes } from './declaration.ts'
import { assignedId, EXAMPLE_ID, EXAMPLE_TIME, recordedTime, windowEnd } from './fields.ts'
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
  {
    ...ofRequest,
    added: [[]],
    notInExample: 'sut_id',
    guide:
      'a [request](any-machine.md#waiting) for a SUT waits | `match` or `sut_id`, `duration`, `priority`, `expires_at`, and `keepalive` as above',
  },
)
/** A SUT is about to be reserved for the request: next follows ReservationCreated in the SUT's stream, or nothing. */
const RequestOffered = declare(
  closed('RequestOffered', { ...offered, start_time: windowEnd, end_time: windowEnd }, {}),
  {
    ...ofRequest,
    changesNothing: true,
    by: ['users', 'schedule'],
    guide: 'a SUT is about to be reserved for it | `sut_id`, `sut_reservation_id`, `start_time`, `end_time`',
  },
)
/** The offered SUT was not reserved, and cannot be any more by this offer. */
const RequestOfferClosed = declare(closed('RequestOfferClosed', offered, {}), {
  ...ofRequest,
  changesNothing: true,
  by: ['schedule'],
  guide: 'that SUT could not be reserved | `sut_id`, `sut_reservation_id`',
})
/** The offered SUT was reserved. */
const RequestGranted = declare(closed('RequestGranted', offered, {}), {
  ...ofRequest,
  by: ['schedule'],
  guide: 'it was reserved | `sut_id`, `sut_reservation_id`',
})
const RequestWithdrawn = declare(closed('RequestWithdrawn', request, {}), {
  ...ofRequest,
  by: ['users', 'schedule'],
  guide: 'the request waits no longer: its user, an administrator or the removal of its user withdrew it | ',
})
/** Somebody still wants it: `keepalive` counts anew. */
const RequestKept = declare(closed('RequestKept', request, {}), {
  ...ofRequest,
  changesNothing: true,
  guide:
    'it is [kept alive](any-machine.md#keeping-alive-while-it-waits): less than half of its `keepalive` was left | ',
})
/** Why it ended before its time: nobody asked for it any more, or its SUT was retired. */
export const ExpiryCause = oneOf('keepalive', 'retired')
export type ExpiryCause = t.TypeOf<typeof ExpiryCause>
const RequestExpired = declare(closed('RequestExpired', request, { cause: ExpiryCause }), {
  ...ofRequest,
  by: ['schedule'],
  added: [['cause']],
  guide:
    'it has waited too long | `cause` if that is not why: `keepalive` if nobody asked for it any more, `retired` if its SUT was retired',
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

/** What readers of events are told of the members. */
export const requestNotes: Notes = {
  sut_reservation_id: ['The reservation that is offered or granted.', EXAMPLE_ID],
  duration: ['The length asked for, in seconds.', 3600],
  expires_at: ['When it is no longer valid, or waits no longer.', EXAMPLE_TIME],
  priority: ['Who goes first: the larger one.', 0],
}
