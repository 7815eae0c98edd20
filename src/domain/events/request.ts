import type * as t from 'io-ts'
import { boolean, integer, oneOf, opaqueId } from '../codec/codec.ts'
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

/** Why it ended before its time: nobody asked for it any more, or its SUT was retired. */
export const ExpiryCause = oneOf('keepalive', 'retired')
export type ExpiryCause = t.TypeOf<typeof ExpiryCause>

export const requestEvents = {
  /**
   * A user waits for a SUT that fits, or for one SUT, until `expires_at`. Exactly one of `match` and `sut_id` is there.
   * With `start_time` a reservation with `match` was asked for, which is made in that window at once or not at all.
   */
  ReservationRequested: declare({
    ...ofRequest,
    assigns: true,
    members: { ...request, duration: seconds, expires_at: recordedTime, priority },
    optional: { match: Criteria, sut_id: assignedId, keepalive, beyond_quota: boolean, start_time: windowEnd },
    added: [[], ['beyond_quota', 'start_time']],
    notInExample: 'sut_id',
    guide:
      'a [request](any-machine.md#waiting) for a SUT waits | `match` or `sut_id`, `duration`, `priority`, `expires_at`, `keepalive`; `start_time` and `beyond_quota` if a reservation of any SUT was asked for, which does not wait',
  }),
  /** A SUT is about to be reserved for the request: next follows ReservationCreated in the SUT's stream, or nothing. */
  RequestOffered: declare({
    ...ofRequest,
    members: { ...offered, start_time: windowEnd, end_time: windowEnd },
    changesNothing: true,
    by: ['users', 'schedule'],
    guide: 'a SUT is about to be reserved for it | `sut_id`, `sut_reservation_id`, `start_time`, `end_time`',
  }),
  /** The offered SUT was not reserved, and cannot be any more by this offer. */
  RequestOfferClosed: declare({
    ...ofRequest,
    members: offered,
    changesNothing: true,
    by: ['schedule'],
    guide: 'that SUT could not be reserved | `sut_id`, `sut_reservation_id`',
  }),
  RequestGranted: declare({
    ...ofRequest,
    members: offered,
    by: ['schedule'],
    guide: 'it was reserved | `sut_id`, `sut_reservation_id`',
  }),
  /** Somebody still wants it: `keepalive` counts anew. */
  RequestKept: declare({
    ...ofRequest,
    members: request,
    changesNothing: true,
    guide:
      'it is [kept alive](any-machine.md#keeping-alive-while-it-waits): less than half of its `keepalive` was left | ',
  }),
  RequestWithdrawn: declare({
    ...ofRequest,
    members: request,
    by: ['users', 'schedule'],
    guide: 'the request waits no longer: its user, an administrator or the removal of its user withdrew it | ',
  }),
  RequestExpired: declare({
    ...ofRequest,
    members: request,
    optional: { cause: ExpiryCause },
    by: ['schedule'],
    added: [['cause']],
    guide:
      'it has waited too long | `cause` if that is not why: `keepalive` (nobody asked any more), `retired` (its SUT)',
  }),
} as const
