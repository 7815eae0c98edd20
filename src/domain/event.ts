import type * as t from 'io-ts'
import { address, boolean, integer, listOf, matching, oneOf, opaqueId, orNull, text } from './codec/codec.ts'
import { closed, dictionary } from './codec/object-codec.ts'

/**
 * Every event Berth records. Names and members are storage and never change meaning. A new shape gets a new `schema`
 * number, and `event-store/stored-event.ts` learns to read the old one.
 */

export const SutType = oneOf('vnc', 'rdp', 'tcp')
export type SutType = t.TypeOf<typeof SutType>

/** Non-secret SUT fields that clients write. The same limits apply to requests and events. */
export const sutFields = {
  name: text(1, 256),
  description: text(0, 4096, { lines: true }),
  address,
  port: integer(1, 65535),
  sut_type: SutType,
  is_active: boolean,
  manufacturer: text(0, 4096),
  model: text(0, 4096),
  os: text(0, 4096),
  version: text(0, 4096),
  rdp_height: integer(1, 16384),
  rdp_width: integer(1, 16384),
} as const

/** Fields whose values go to the vault. An event only records that they changed. */
export const SECRET_FIELDS = ['password', 'user_name'] as const
export type SecretField = (typeof SECRET_FIELDS)[number]

const id = opaqueId
export const assignedId = matching('assigned id', /^[0-9a-f]{24}$/, 'must be 24 lower-case hex digits')
const listenPort = integer(1, 65535)
export const windowEnd = matching(
  'window end',
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/,
  'must be a date-time like 2030-05-02T08:15:00+02:00',
)

const recordedTime = matching(
  'time',
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'must be a time like 2030-05-02T05:58:11.400Z',
)

/** Secrets that changed together. The random id identifies them in the vault. */
const Credentials = closed('Credentials', { id: assignedId, changed: listOf(oneOf(...SECRET_FIELDS)) }, {})

const { rdp_height, rdp_width, ...sutFieldsRequired } = sutFields
const TAG_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const tagName = matching(
  'tag name',
  TAG_NAME,
  'must be 1 to 64 of A-Z a-z 0-9 . _ - beginning with a letter or digit',
)
export const tagValue = orNull(text(0, 256))
/** A merge patch (RFC 7396) of a SUT's tags; null removes a tag. */
export const tags = dictionary('tags', tagName, tagValue)

const SutCreated = closed(
  'SutCreated',
  { _id: assignedId, ...sutFieldsRequired, listen_port: listenPort },
  { rdp_height, rdp_width, credentials: Credentials },
)
/** Contains only changed fields. */
const SutUpdated = closed('SutUpdated', { _id: assignedId }, { ...sutFields, tags, credentials: Credentials })
const SutRetired = closed('SutRetired', { _id: assignedId, listen_port: listenPort }, {})
/** Abandons a creation whose second append never happened, so that a late creator is refused. */
const SutCreationAbandoned = closed('SutCreationAbandoned', { _id: assignedId, listen_port: listenPort }, {})

const reservation = { _id: assignedId, sut_id: assignedId, user_id: id }
const ReservationCreated = closed(
  'ReservationCreated',
  { ...reservation, start_time: windowEnd, end_time: windowEnd, listen_port: listenPort },
  {},
)
const ReservationExtended = closed('ReservationExtended', { ...reservation, end_time: windowEnd }, {})
/** A running reservation ended early. `end_time` is the second it ended. */
const ReservationReleased = closed('ReservationReleased', { ...reservation, end_time: windowEnd }, {})
const ReservationCancelled = closed('ReservationCancelled', reservation, {})

const ListenPortAssigned = closed('ListenPortAssigned', { listen_port: listenPort, sut_id: assignedId }, {})
const ListenPortReleased = closed('ListenPortReleased', { listen_port: listenPort, sut_id: assignedId }, {})

/**
 * Version of the log this program writes. Increment it when older programs must not continue on the log. The shape of
 * each event has its own version, `schema`.
 */
export const LOG_VERSION = 2
/** The log version from here on; 1 before the first of these. Older programs stop at this event. */
const StoreUpgraded = closed('StoreUpgraded', { from: integer(1, LOG_VERSION - 1), to: integer(2, LOG_VERSION) }, {})
/** Windows per ClockCorrected. With the longest user ids they stay below the append limit of one megabyte. */
export const RESTORED_MAX = 1_000
export const whole = integer(0, Number.MAX_SAFE_INTEGER)
const span = closed('Span', { from: whole, to: whole }, {})
const RestoredWindow = closed(
  'RestoredWindow',
  { _id: assignedId, user_id: id, start_time: windowEnd, end_time: windowEnd },
  {},
)
/**
 * Corrects the times of a span of the log. `revisions` are the span's events in this stream; `time` replaces their
 * times. `windows` are restored: the wrong times had dropped them from the state. If there are too many for one event,
 * a series of events is written. `remaining` counts the windows still to come. The event with 0 remaining corrects the
 * stream's time.
 */
const ClockCorrected = closed(
  'ClockCorrected',
  { positions: span, revisions: span, time: recordedTime, windows: listOf(RestoredWindow), remaining: whole },
  { sut_id: assignedId },
)

const verifierKey = text(1, 512)
/** Signed checkpoints use another key from here on. Keys are C2SP signed-note verifier keys. */
const AuditKeyReplaced = closed('AuditKeyReplaced', { verifier_key: verifierKey }, { replaces: verifierKey })
/** A vault key was lost and given up, with this many secrets. */
const VaultKeyForgotten = closed('VaultKeyForgotten', { key: text(1, 32), secrets: whole }, {})

/** Codecs of the event data, by event type, at the newest `schema`. */
export const eventData = {
  SutCreated,
  SutUpdated,
  SutRetired,
  SutCreationAbandoned,
  ReservationCreated,
  ReservationExtended,
  ReservationReleased,
  ReservationCancelled,
  ListenPortAssigned,
  ListenPortReleased,
  StoreUpgraded,
  ClockCorrected,
  AuditKeyReplaced,
  VaultKeyForgotten,
} as const

export type EventType = keyof typeof eventData
/** A decided event: its type and data. */
export type Event = {
  [T in EventType]: { readonly type: T; readonly data: t.TypeOf<(typeof eventData)[T]> }
}[EventType]
export type DataOf<T extends EventType> = t.TypeOf<(typeof eventData)[T]>

/** Current version of the event shapes. `event-store/stored-event.ts` reads older ones. */
export const SCHEMA = 1

export const Role = oneOf('administrator', 'tester', 'auditor')
export type Role = t.TypeOf<typeof Role>

/** The reason for a command, in the caller's words. */
export const Reason = text(1, 200)

/** Who caused an event, when, and for which request. */
export const Metadata = closed(
  'Metadata',
  {
    /** The user's id, or `berth` for actions of the service itself. */
    actor: id,
    role: oneOf('administrator', 'tester', 'auditor', 'system'),
    request_id: text(1, 128),
    time: recordedTime,
    /** Version of the data's shape. */
    schema: integer(1, 65535),
  },
  {
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
  readonly mark: number
}

/** An event read in log order, with its leaf hash in the log's Merkle tree (32 bytes). */
export type Logged = Recorded & { readonly leaf: Uint8Array }
