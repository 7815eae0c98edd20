import type * as t from 'io-ts'
import { address, boolean, integer, listOf, matching, oneOf, opaqueId, orNull, text } from './codec/codec.ts'
import { closed, dictionary } from './codec/object-codec.ts'

/**
 * Every fact Berth records. Names and members are storage: they never change their meaning. A new shape gets a new
 * `schema` number, and `event-store/stored-event.ts` learns to read the old one.
 */

export const SutType = oneOf('vnc', 'rdp', 'tcp')
export type SutType = t.TypeOf<typeof SutType>

/** The fields of a SUT that a client writes and that are no secret: their limits hold in requests and events alike. */
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

/** The fields whose values go to the vault; an event only says that they changed. */
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

/** The secrets that changed together: the random id names them in the vault. */
const Credentials = closed('Credentials', { id: assignedId, changed: listOf(oneOf(...SECRET_FIELDS)) }, {})

const { rdp_height, rdp_width, ...sutFieldsRequired } = sutFields
const TAG_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const tagName = matching(
  'tag name',
  TAG_NAME,
  'must be 1 to 64 of A-Z a-z 0-9 . _ - beginning with a letter or digit',
)
export const tagValue = orNull(text(0, 256))
/** A merge patch (RFC 7396) of a SUT's tags: null removes one. */
export const tags = dictionary('tags', tagName, tagValue)

const SutCreated = closed(
  'SutCreated',
  { _id: assignedId, ...sutFieldsRequired, listen_port: listenPort },
  { rdp_height, rdp_width, credentials: Credentials },
)
/** Only the fields that changed. */
const SutUpdated = closed('SutUpdated', { _id: assignedId }, { ...sutFields, tags, credentials: Credentials })
const SutRetired = closed('SutRetired', { _id: assignedId, listen_port: listenPort }, {})
/** Closes a creation that never came to its second append, so that a late creator is refused. */
const SutCreationAbandoned = closed('SutCreationAbandoned', { _id: assignedId, listen_port: listenPort }, {})

const reservation = { _id: assignedId, sut_id: assignedId, user_id: id }
const ReservationCreated = closed(
  'ReservationCreated',
  { ...reservation, start_time: windowEnd, end_time: windowEnd, listen_port: listenPort },
  {},
)
const ReservationExtended = closed('ReservationExtended', { ...reservation, end_time: windowEnd }, {})
/** A running reservation given back early: `end_time` is the second it ended. */
const ReservationReleased = closed('ReservationReleased', { ...reservation, end_time: windowEnd }, {})
const ReservationCancelled = closed('ReservationCancelled', reservation, {})

const ListenPortAssigned = closed('ListenPortAssigned', { listen_port: listenPort, sut_id: assignedId }, {})
const ListenPortReleased = closed('ListenPortReleased', { listen_port: listenPort, sut_id: assignedId }, {})

/**
 * The version of the log that this program keeps. It is raised when a program that does not know what the log may hold
 * from then on must not go on with it; what each event looks like has a version of its own, its `schema`.
 */
export const LOG_VERSION = 2
/** The log has another version from here on: 1 before the first of these. Older programs stop at it. */
const StoreUpgraded = closed('StoreUpgraded', { from: integer(1, LOG_VERSION - 1), to: integer(2, LOG_VERSION) }, {})
/** Windows that one ClockCorrected holds at most: with the longest user ids they stay below the megabyte of an append. */
export const RESTORED_MAX = 1_000
export const whole = integer(0, Number.MAX_SAFE_INTEGER)
const span = closed('Span', { from: whole, to: whole }, {})
const RestoredWindow = closed(
  'RestoredWindow',
  { _id: assignedId, user_id: id, start_time: windowEnd, end_time: windowEnd },
  {},
)
/**
 * The times of a span of the log are wrong: `revisions` are those of its events in this stream, `time` counts in place of
 * theirs. `windows` stand, which the wrong times had dropped from the state. Where they are too many for one event, others
 * with `remaining` more have come before; the stream's time is right again with the one of which none remain.
 */
const ClockCorrected = closed(
  'ClockCorrected',
  { positions: span, revisions: span, time: recordedTime, windows: listOf(RestoredWindow), remaining: whole },
  { sut_id: assignedId },
)

const verifierKey = text(1, 512)
/** Checkpoints are signed with another key from here on; a key is given as a verifier key of C2SP signed-note. */
const AuditKeyReplaced = closed('AuditKeyReplaced', { verifier_key: verifierKey }, { replaces: verifierKey })
/** The vault goes on without a key that was lost, and with it so many secrets. */
const VaultKeyForgotten = closed('VaultKeyForgotten', { key: text(1, 32), secrets: whole }, {})

/** The codec of every event's data, by name, at the newest `schema`. */
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
/** A fact that has been decided: its name and its data. */
export type Event = {
  [T in EventType]: { readonly type: T; readonly data: t.TypeOf<(typeof eventData)[T]> }
}[EventType]
export type DataOf<T extends EventType> = t.TypeOf<(typeof eventData)[T]>

/** The version of each event's shape that is written now; older ones are read by `event-store/stored-event.ts`. */
export const SCHEMA = 1

export const Role = oneOf('administrator', 'tester', 'auditor')
export type Role = t.TypeOf<typeof Role>

/** Why something is done, in the words of who does it. */
export const Reason = text(1, 200)

/** Who or what caused an event, when, and for which request. */
export const Metadata = closed(
  'Metadata',
  {
    /** The user's id, or `berth` for what the service does by itself. */
    actor: id,
    role: oneOf('administrator', 'tester', 'auditor', 'system'),
    request_id: text(1, 128),
    time: recordedTime,
    /** The version of the data's shape. */
    schema: integer(1, 65535),
  },
  {
    /** HMACs of the retry key and of the request it came with, joined by a dot (see commands/retry-key.ts). */
    key: matching('key', /^[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{22}$/, 'must be two HMACs'),
    /** Why, in the caller's words. */
    reason: Reason,
  },
)
export type Metadata = t.TypeOf<typeof Metadata>

/** An event ready to be appended; its id is fixed before the first attempt, so that a repeated append is recognised. */
export type NewEvent = Event & { readonly id: string; readonly metadata: Metadata }

/** An event in the log. */
export type Recorded = NewEvent & {
  readonly stream: string
  /** Its place in its stream, from 0. */
  readonly revision: number
  /**
   * Its place in the store's own order: grows along the log and can be compared within one store. In the embedded store
   * it is the public position; EventStoreDB has its own commit positions here.
   */
  readonly mark: number
}

/** An event as the log gives it in its order, with the hash of its leaf in the Merkle tree over the log: 32 bytes. */
export type Logged = Recorded & { readonly leaf: Uint8Array }
