import type * as t from 'io-ts'
import { boolean, integer, oneOf, opaqueId, text } from '../codec/codec.ts'
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
/** Why the service released it: it was not kept alive, or nobody connected. */
export const ReleaseCause = oneOf('keepalive', 'unused')
export type ReleaseCause = t.TypeOf<typeof ReleaseCause>

export const reservationEvents = {
  /** `match`: the criteria that were asked for in place of the SUT. `sut_request_id`: the request that waited for it. */
  ReservationCreated: declare({
    ...ofReservation,
    assigns: true,
    members: { ...reservation, start_time: windowEnd, end_time: windowEnd, listen_port: listenPort },
    optional: { ...beyond, counted, match: Criteria, keepalive, series_id: assignedId, sut_request_id: assignedId },
    creates: true,
    added: [['match', 'keepalive', 'series_id', 'sut_request_id'], []],
    guide:
      'a window is reserved | `start_time`, `end_time`, `listen_port`, `counted` (quarter-hours in the [quota](people.md#quotas)); if so: `keepalive` ([kept alive](any-machine.md#keeping-alive)), `beyond_quota`, `match` ([any SUT](any-machine.md)), `series_id`, `sut_request_id` (it [waited](any-machine.md#waiting))',
  }),
  ReservationExtended: declare({
    ...ofReservation,
    members: { ...reservation, end_time: windowEnd },
    optional: beyond,
    guide: 'the end moves later | `end_time`; `beyond_quota` as above',
  }),
  /** It ends earlier than planned, but after the event. */
  ReservationShortened: declare({
    ...ofReservation,
    members: { ...reservation, end_time: windowEnd },
    guide: 'the end moves earlier | `end_time`',
  }),
  /** A running reservation ended early. `end_time` is the second it ended. */
  ReservationReleased: declare({
    ...ofReservation,
    members: { ...reservation, end_time: windowEnd },
    optional: { cause: ReleaseCause },
    by: ['users', 'berth', 'schedule'],
    added: [['cause']],
    guide:
      'a running reservation is given back early | `end_time`; `cause` if `schedule` did it: `keepalive`, or `unused` if [nobody came](any-machine.md#nobody-came)',
  }),
  ReservationCancelled: declare({
    ...ofReservation,
    members: reservation,
    by: ['users', 'berth'],
    guide: 'a reservation is cancelled before it begins | ',
  }),
  /** Bound to the client address of `metadata.client`, the only one that may connect to the SUT. */
  ReservationBound: declare({
    ...ofReservation,
    members: reservation,
    guide: 'a reservation is [bound](machines.md#who-may-connect) to another client address | ',
  }),
  /** Bound to no client until it is bound again, because its holder has a new password. */
  ReservationUnbound: declare({
    ...ofReservation,
    members: reservation,
    by: ['berth'],
    guide: 'a new password of its holder ends the binding | ',
  }),
  /** Its holder, or a connection, kept it alive: `keepalive` counts anew. */
  ReservationKept: declare({
    ...ofReservation,
    members: reservation,
    changesNothing: true,
    by: ['users', 'gateway'],
    guide: 'a reservation is kept alive: for the first time, or less than half of its time before its release | ',
  }),
  /**
   * The schedule's record that a reservation began, and that it ended at its end. `due` is when: for a start, the later of
   * `start_time` and the reservation's creation. Recorded late after a downtime.
   */
  ReservationStarted: declare({
    ...bySchedule,
    members: { ...reservation, due: recordedTime },
    guide: 'a reservation [begins](reservations.md#starts-and-ends) | `due`',
  }),
  ReservationEnded: declare({
    ...bySchedule,
    members: { ...reservation, due: recordedTime },
    guide: 'a reservation ends at its end | `due`',
  }),
  /**
   * A SUT was about to be reserved for a request with criteria and an idempotency key. Logs of before 2.0.0 have it, in a
   * stream of the key; now such a request has a RequestOffered.
   */
  MatchOffered: declare({
    ...ofOffer,
    members: { ...reservation, start_time: windowEnd, end_time: windowEnd },
    answersNothing: true,
    isIn: isStreamOfKey,
    guide:
      'a SUT was about to be reserved for a request with criteria and a key; before 2.0.0 | `start_time`, `end_time`',
  }),
  /** The SUT was not reserved: no reservation has this id. */
  ReservationOfferRefused: declare({
    ...ofOffer,
    members: reservation,
    by: ['users', 'schedule'],
    guide: 'that SUT could not be reserved | ',
  }),
} as const

export const seriesEvents = {
  /**
   * Reservations of a SUT made together, by a rule. It is followed, in the same append, by the `count` ReservationCreated
   * that have its id. `start_time` and `end_time` are those of the first window as it was asked for, in the offset of the
   * zone.
   */
  ReservationSeriesCreated: declare({
    ...ofReservation,
    assigns: true,
    members: {
      _id: assignedId,
      sut_id: assignedId,
      user_id: opaqueId,
      start_time: windowEnd,
      end_time: windowEnd,
      rrule: text(1, RULE_LENGTH_MAX),
      time_zone: text(1, 64),
      count: integer(OCCURRENCES_MIN, OCCURRENCES_MAX),
    },
    object: 'series',
    guide:
      'a [series](series.md) is reserved; its reservations follow at once | `start_time` and `end_time` of its first window as asked for, `rrule`, `time_zone`, `count`',
  }),
} as const
