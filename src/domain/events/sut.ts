import type * as t from 'io-ts'
import { QUARTER, TURNAROUND_MAX } from '../calendar/window.ts'
import { address, boolean, integer, listOf, matching, multipleOf, oneOf, orNull, text, zeroOr } from '../codec/codec.ts'
import { closed, dictionary } from '../codec/object-codec.ts'
import { LISTEN_PORTS_STREAM } from '../values/ids.ts'
import { pick } from '../values/pick.ts'
import { declare, inStream, inStreamOfSut } from './declaration.ts'
import { assignedId, listenPort } from './fields.ts'

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
  /** Seconds between two reservations; 0 unless given. */
  turnaround: multipleOf(QUARTER, 0, TURNAROUND_MAX),
  /** Seconds after which a reservation is released through which nobody has connected; 0, as unless given, is never. */
  release_unused_after: zeroOr(300, 86_400),
} as const

export type SutField = keyof typeof sutFields
export const SUT_FIELDS = Object.keys(sutFields) as readonly SutField[]

/** Fields that everybody sees who sees the SUT, in the order of answers. All others are left out of its document. */
export const PUBLIC_SUT_FIELDS = [
  ...(['name', 'description', 'address', 'port', 'sut_type', 'is_active'] as const),
  ...(['manufacturer', 'model', 'os', 'version'] as const),
] as const satisfies readonly SutField[]
export type PublicSutField = (typeof PUBLIC_SUT_FIELDS)[number]

/** Fields that a SUT has whatever it is created with. */
const requiredFields = pick(sutFields, PUBLIC_SUT_FIELDS)
const { rdp_height, rdp_width, turnaround, release_unused_after } = sutFields

/** Fields whose values go to the vault. An event only records that they changed. */
export const SECRET_FIELDS = ['password', 'user_name'] as const
export type SecretField = (typeof SECRET_FIELDS)[number]

/** Secrets that changed together. The random id identifies them in the vault. */
const Credentials = closed('Credentials', { id: assignedId, changed: listOf(oneOf(...SECRET_FIELDS)) }, {})

const TAG_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const tagName = matching(
  'tag name',
  TAG_NAME,
  'must be 1 to 64 of A-Z a-z 0-9 . _ - beginning with a letter or digit',
)
export const tagText = text(0, 256)
export const tagValue = orNull(tagText)
export const TAGS_MAX = 64
export const tags = dictionary('tags', tagName, tagText, TAGS_MAX)
/** A merge patch (RFC 7396) of a SUT's tags; null removes a tag. */
export const tagsPatch = dictionary('tags patch', tagName, tagValue)

const ofSut = { object: 'sut', isIn: inStreamOfSut, by: ['users'] } as const

/** Seconds between probes. */
export const monitoringInterval = integer(10, 86_400)

export const sutEvents = {
  SutCreated: declare({
    ...ofSut,
    members: { _id: assignedId, ...requiredFields, listen_port: listenPort },
    optional: { rdp_height, rdp_width, turnaround, release_unused_after, tags, credentials: Credentials },
    creates: true,
    added: [['turnaround', 'release_unused_after']],
    guide: 'a SUT is created | its fields, `listen_port`, `tags` if it was given any',
  }),
  /** Contains only changed fields. */
  SutUpdated: declare({
    ...ofSut,
    members: { _id: assignedId },
    optional: { ...sutFields, tags: tagsPatch, credentials: Credentials },
    added: [['turnaround', 'release_unused_after']],
    guide: 'fields or tags change | only what changed',
  }),
  SutRetired: declare({
    ...ofSut,
    members: { _id: assignedId, listen_port: listenPort },
    guide: 'a SUT is retired | `listen_port`',
  }),
  /** A creation whose second append never came is closed. Only versions before 2.0.0 recorded it. */
  SutCreationAbandoned: declare({
    ...ofSut,
    members: { _id: assignedId, listen_port: listenPort },
    changesNothing: true,
    by: ['berth'],
    guide: 'a creation never got past its first append and is closed; before 2.0.0 | `listen_port`',
  }),
  /** The SUT is probed from here on. Another interval is recorded by another event. */
  SutMonitoringEnabled: declare({
    ...ofSut,
    members: { _id: assignedId, interval: monitoringInterval },
    guide: 'a SUT is to be [probed](monitoring.md), or at another interval | `interval`',
  }),
  SutMonitoringDisabled: declare({
    ...ofSut,
    members: { _id: assignedId },
    guide: 'a SUT is no longer to be probed | ',
  }),
} as const

const ofListenPort = { isIn: inStream(LISTEN_PORTS_STREAM), by: ['users'] } as const

export const listenPortEvents = {
  ListenPortAssigned: declare({
    ...ofListenPort,
    assigns: true,
    members: { listen_port: listenPort, sut_id: assignedId },
    guide: 'a new SUT gets its port | `listen_port`',
  }),
  ListenPortReleased: declare({
    ...ofListenPort,
    members: { listen_port: listenPort, sut_id: assignedId },
    by: ['berth'],
    guide: 'a port is free again | `listen_port`',
  }),
} as const
