import type * as t from 'io-ts'
import { integer, matching, oneOf, opaqueId, text } from './codec/codec.ts'
import { closed } from './codec/object-codec.ts'
import { recordedTime } from './events/fields.ts'
import { logEvents } from './events/log.ts'
import { monitoringEvents } from './events/monitoring.ts'
import { refusalEvents } from './events/refusals.ts'
import { requestEvents } from './events/request.ts'
import { reservationEvents, seriesEvents } from './events/reservation.ts'
import { sessionEvents } from './events/session.ts'
import { listenPortEvents, sutEvents } from './events/sut.ts'
import { tokenEvents, userEvents } from './events/user.ts'
import type { StorePosition } from './values/position.ts'

/**
 * Every event Berth records. Names and members are storage and never change meaning. A new shape gets a new `schema`
 * number, and `event-store/stored-event.ts` reads the old one: as it is, if members were only added.
 */

/** Codecs of the event data, by event type, at the newest `schema`. */
export const eventData = {
  ...sutEvents,
  ...monitoringEvents,
  ...reservationEvents,
  ...requestEvents,
  ...refusalEvents,
  ...seriesEvents,
  ...sessionEvents,
  ...userEvents,
  ...tokenEvents,
  ...listenPortEvents,
  ...logEvents,
} as const

export type EventType = keyof typeof eventData
/** A decided event: its type and data. */
export type Event = {
  [T in EventType]: { readonly type: T; readonly data: t.TypeOf<(typeof eventData)[T]> }
}[EventType]
export type DataOf<T extends EventType> = t.TypeOf<(typeof eventData)[T]>

/**
 * Events whose shape has gained members: those that each version added, from the second on, as paths. None where only
 * values were added: `match` has null. `event-store/stored-event.ts` reads older ones.
 */
const ADDED: Readonly<Partial<Record<EventType, readonly (readonly string[])[]>>> = {
  SutCreated: [['turnaround', 'release_unused_after']],
  SutUpdated: [['turnaround', 'release_unused_after']],
  ReservationCreated: [['match', 'keepalive', 'series_id', 'sut_request_id'], []],
  ReservationReleased: [['cause']],
  RequestExpired: [['cause']],
  ReservationRequested: [[]],
  TokenIssued: [['token_scope']],
}

/** Current version of an event's shape. */
export const schemaVersion = (type: EventType): number => 1 + (ADDED[type]?.length ?? 0)

/** The members that a version of an event's shape does not have yet. */
export const addedAfter = (type: EventType, version: number): readonly string[] =>
  (ADDED[type] ?? []).slice(version - 1).flat()

/** The reason for a command, in the caller's words. */
export const Reason = text(1, 200)

/** Who caused an event, when, and for which request. */
export const Metadata = closed(
  'Metadata',
  {
    /**
     * The user's id. For actions that no user of the service caused: `berth`, `schedule`, `monitor`, `gateway`, `oidc` or
     * `command-line`.
     */
    actor: opaqueId,
    role: oneOf('administrator', 'tester', 'auditor', 'system'),
    request_id: text(1, 128),
    time: recordedTime,
    /** Version of the data's shape. */
    schema: integer(1, 65535),
  },
  {
    /** The client's address as a keyed hash (vault/derived/client-pseudonyms.ts), for events that a request recorded. */
    client: matching('client', /^[A-Za-z0-9._-]{1,32}:[A-Za-z0-9_-]{22}$/, 'must be a key id and an HMAC'),
    /** HMACs of the idempotency key and of its request, joined by a dot (see commands/idempotency-key.ts). */
    key: matching('key', /^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{22}$/, 'must be two HMACs'),
    /** The reason, in the caller's words. */
    reason: Reason,
  },
)
export type Metadata = t.TypeOf<typeof Metadata>

/**
 * An event ready to append. Its id is fixed before the first attempt, so that the store recognises a repeated append.
 */
export type NewEvent = Event & { readonly id: string; readonly metadata: Metadata }

/** A recorded event. */
export type Recorded = NewEvent & {
  readonly stream: string
  /** Position in its stream, from 0. */
  readonly revision: number
  /**
   * Store position: increases along the log and can only be compared within one store. In the embedded store it is the
   * public position. In EventStoreDB it is the commit position.
   */
  readonly storePosition: StorePosition
}

/** An event read in log order, with its leaf hash in the log's Merkle tree (32 bytes). */
export type Logged = Recorded & { readonly leaf: Uint8Array }

/** Events appended together from which on each step of recording them takes a turn of its own: a series has up to 367. */
export const LARGE_APPEND = 256
