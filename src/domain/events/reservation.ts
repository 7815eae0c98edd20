import type * as t from 'io-ts'
import { boolean, integer, oneOf, opaqueId, text } from '../codec/codec.ts'
import { closed } from '../codec/object-codec.ts'
import { OCCURRENCES_MAX, OCCURRENCES_MIN, RULE_LENGTH_MAX } from '../series/rule.ts'
import { Criteria } from './criteria.ts'
import { declare, inStreamOfSut } from './declaration.ts'
import { assignedId, listenPort, recordedTime, windowEnd } from './fields.ts'

const reservation = { _id: assignedId, sut_id: assignedId, user_id: opaqueId }
const ofReservation = { object: 'sut_reservation', isIn: inStreamOfSut, by: ['users'] } as const
const bySchedule = { ...ofReservation, changesNothing: true, by: ['schedule'] } as const
/** There is no reservation yet. */
const ofOffer = { ...ofReservation, changesNothing: true } as const
const isStreamOfKey = (stream: string): boolean => /^match-[A-Za-z0-9_-]{22}$/.test(stream)
/** True if an administrator made or extended it beyond the quota of its holder. Then it does not count. */
const beyond = { beyond_quota: boolean }
/** Seconds after which it is released unless it is kept alive meanwhile. */
export const keepalive = integer(30, 86_400)
/** Quarter-hours that it counts for the quota of its holder: those of its window unless given. */
const counted = integer(1, Number.MAX_SAFE_INTEGER)
/** `match`: the criteria that were asked for in place of the SUT. `sut_request_id`: the request that waited for it. */
const ReservationCreated = declare(
  closed(
    'ReservationCreated',
    { ...reservation, start_time: windowEnd, end_time: windowEnd, listen_port: listenPort },
    { ...beyond, counted, match: Criteria, keepalive, series_id: assignedId, sut_request_id: assignedId },
  ),
  { ...ofReservation, creates: true, added: [['match', 'keepalive', 'series_id', 'sut_request_id'], []] },
)
const ReservationExtended = declare(
  closed('ReservationExtended', { ...reservation, end_time: windowEnd }, beyond),
  ofReservation,
)
/** Why the service released it: it was not kept alive, or nobody connected. */
export const ReleaseCause = oneOf('keepalive', 'unused')
export type ReleaseCause = t.TypeOf<typeof ReleaseCause>
/** It ends earlier than planned, but after the event. */
const ReservationShortened = declare(
  closed('ReservationShortened', { ...reservation, end_time: windowEnd }, {}),
  ofReservation,
)
/** A running reservation ended early. `end_time` is the second it ended. */
const ReservationReleased = declare(
  closed('ReservationReleased', { ...reservation, end_time: windowEnd }, { cause: ReleaseCause }),
  { ...ofReservation, by: ['users', 'berth', 'schedule'], added: [['cause']] },
)
const ReservationCancelled = declare(closed('ReservationCancelled', reservation, {}), {
  ...ofReservation,
  by: ['users', 'berth'],
})

/**
 * A SUT is about to be reserved for a request with criteria and an idempotency key: the reservation is made with this id,
 * or the offer is refused. Recorded in a stream of its own, so that a retry goes on from it.
 */
const MatchOffered = declare(
  closed('MatchOffered', { ...reservation, start_time: windowEnd, end_time: windowEnd }, {}),
  { ...ofOffer, answersNothing: true, isIn: isStreamOfKey },
)
/** The SUT was not reserved: no reservation has this id. */
const ReservationOfferRefused = declare(closed('ReservationOfferRefused', reservation, {}), {
  ...ofOffer,
  by: ['users', 'schedule'],
})

/** Bound to the client address of `metadata.client`, the only one that may connect to the SUT. */
const ReservationBound = declare(closed('ReservationBound', reservation, {}), ofReservation)
/** Bound to no client until it is bound again, because its holder has a new password. */
const ReservationUnbound = declare(closed('ReservationUnbound', reservation, {}), { ...ofReservation, by: ['berth'] })

/** Its holder, or a connection, kept it alive: `keepalive` counts anew. */
const ReservationKept = declare(closed('ReservationKept', reservation, {}), {
  ...ofReservation,
  changesNothing: true,
  by: ['users', 'gateway'],
})

/**
 * The schedule's record that a reservation began, and that it ended at its end. `due` is when: for a start, the later of
 * `start_time` and the reservation's creation. Recorded late after a downtime.
 */
const ReservationStarted = declare(closed('ReservationStarted', { ...reservation, due: recordedTime }, {}), bySchedule)
const ReservationEnded = declare(closed('ReservationEnded', { ...reservation, due: recordedTime }, {}), bySchedule)

export const reservationEvents = {
  ReservationCreated,
  ReservationExtended,
  ReservationShortened,
  ReservationReleased,
  ReservationCancelled,
  ReservationBound,
  ReservationUnbound,
  ReservationKept,
  ReservationStarted,
  ReservationEnded,
  MatchOffered,
  ReservationOfferRefused,
} as const

/**
 * Reservations of a SUT made together, by a rule. It is followed, in the same append, by the `count` ReservationCreated
 * that have its id. `start_time` and `end_time` are those of the first window as it was asked for, in the offset of the
 * zone.
 */
const ReservationSeriesCreated = declare(
  closed(
    'ReservationSeriesCreated',
    {
      _id: assignedId,
      sut_id: assignedId,
      user_id: opaqueId,
      start_time: windowEnd,
      end_time: windowEnd,
      rrule: text(1, RULE_LENGTH_MAX),
      time_zone: text(1, 64),
      count: integer(OCCURRENCES_MIN, OCCURRENCES_MAX),
    },
    {},
  ),
  { ...ofReservation, object: 'series' },
)

export const seriesEvents = { ReservationSeriesCreated } as const
