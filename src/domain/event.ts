/**
 * Every event Berth records. Names and members are storage and never change meaning. A new shape gets a new `schema`
 * number, and `event-store/stored-event.ts` reads the old one: as it is, if members were only added.
 */

import type * as t from 'io-ts'
import { integer, matching, oneOf, opaqueId, text } from './codec/codec.ts'
import { closed } from './codec/object-codec.ts'
import type { Facts } from './events/declaration.ts'
import { recordedTime } from './events/fields.ts'
import { logEvents } from './events/log.ts'
import { monitoringEvents } from './events/monitoring.ts'
import { refusalEvents } from './events/refusals.ts'
import { requestEvents } from './events/request.ts'
import { reservationEvents, seriesEvents } from './events/reservation.ts'
import { sessionEvents } from './events/session.ts'
import { listenPortEvents, sutEvents } from './events/sut.ts'
import { tokenEvents, userEvents } from './events/user.ts'
import { webhookEvents } from './events/webhook.ts'
import type { StorePosition } from './values/position.ts'

export const eventDeclarations = {
  ...sutEvents,
  ...monitoringEvents,
  ...reservationEvents,
  ...requestEvents,
  ...refusalEvents,
  ...seriesEvents,
  ...sessionEvents,
  ...userEvents,
  ...tokenEvents,
  ...webhookEvents,
  ...listenPortEvents,
  ...logEvents,
} as const

export type EventType = keyof typeof eventDeclarations
export const EVENT_TYPES = Object.keys(eventDeclarations) as readonly EventType[]
/** Those that webhooks deliver: all but their own. */
export const DELIVERED_TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => !Object.hasOwn(webhookEvents, type))
export type DataOf<T extends EventType> = t.TypeOf<(typeof eventDeclarations)[T]['data']>
/** A decided event: its type and data. */
export type Event = { [T in EventType]: { readonly type: T; readonly data: DataOf<T> } }[EventType]

/** What is known of a type, without its data. */
export const factsOf = (type: EventType): Facts<never> => eventDeclarations[type]

export const schemaVersion = (type: EventType): number => 1 + (factsOf(type).added?.length ?? 0)

/** The members that a version of an event's shape does not have yet. */
export const addedAfter = (type: EventType, version: number): readonly string[] =>
  (factsOf(type).added ?? []).slice(version - 1).flat()

/** Whether an event is about a user as such or one of its tokens, not about a reservation that the user holds. */
export const isAboutUser = (type: EventType): boolean => {
  const { object } = factsOf(type)
  return object === 'user' || object === 'token'
}

/** The SUT of an event, if any. A request has one where it names one or was offered one. */
export const sutIdOf = ({ type, data }: Event): string | undefined => {
  if ('sut_id' in data) return data.sut_id
  return factsOf(type).object === 'sut' && '_id' in data ? data._id : undefined
}

/** The user who holds the event's reservation, or whom the event is about, if any. */
export const userOf = ({ type, data }: Event): string | undefined => {
  if ('user_id' in data) return data.user_id
  return factsOf(type).object === 'user' && '_id' in data ? data._id : undefined
}

/** What an event is about: a SUT, or else a user. */
export const subjectOfEvent = (event: Event): string | undefined =>
  isAboutUser(event.type) ? userOf(event) : sutIdOf(event)

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
    reason: Reason,
  },
)
export type Metadata = t.TypeOf<typeof Metadata>

/**
 * An event ready to append. Its id is fixed before the first attempt, so that the store recognises a repeated append.
 */
export type NewEvent = Event & { readonly id: string; readonly metadata: Metadata }

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
