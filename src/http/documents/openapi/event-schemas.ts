import { opaqueId } from '../../../domain/codec/codec.ts'
import { type JsonSchema, schemaOf } from '../../../domain/codec/json-schema.ts'
import { type EventType, eventData, Metadata, schemaVersion } from '../../../domain/event.ts'
import { assignedId } from '../../../domain/events/fields.ts'
import {
  type CloudEvent,
  isAboutRequest,
  isAboutUser,
  schemaPath,
  schemaUrn,
} from '../../../feed/events/cloud-event.ts'

/** JSON Schemas of events: of their data, by type and version, and of the CloudEvents around it. */

export const eventTypes = Object.keys(eventData) as readonly EventType[]

export const dataSchema = (type: EventType): JsonSchema => ({ title: type, ...schemaOf(eventData[type]) })

interface SchemaDocument {
  readonly type: EventType
  readonly version: number
  /** Its `$id`, and the `dataschema` of events. */
  readonly urn: string
  readonly href: string
  readonly schema: () => JsonSchema
}

/** The documents at /schemas/. Only the newest shape has one, because older events are upgraded when read. */
export const schemaDocuments: readonly SchemaDocument[] = eventTypes.map((type) => {
  const version = schemaVersion(type)
  const href = schemaPath(type, version)
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  const urn = schemaUrn(type, version)
  return { type, version, urn, href, schema: () => ({ $schema, $id: urn, ...dataSchema(type) }) }
})

const metadata = (): Readonly<Record<keyof Metadata, JsonSchema>> =>
  schemaOf(Metadata).properties as Readonly<Record<keyof Metadata, JsonSchema>>

/** Whether an event has a subject; `sometimes` if the member of its data is optional. */
const hasSubject = (type: EventType): 'always' | 'sometimes' | 'never' => {
  const { properties, required } = schemaOf(eventData[type])
  // A request is about a SUT only where it names one.
  const names = (isAboutRequest(type) ? ['sut_id'] : ['_id', 'sut_id']).filter((name) =>
    Object.hasOwn(properties as object, name),
  )
  if (names.length === 0) return 'never'
  return names.some((name) => (required as readonly string[]).includes(name)) ? 'always' : 'sometimes'
}

/**
 * A CloudEvent 1.0 in JSON format with Berth's extensions, and `more` where a history adds members, or `optional` where
 * it may leave them out. `data` is the schema of its data, or a reference to it.
 */
export const cloudEventSchema = (
  type: EventType,
  data: JsonSchema = dataSchema(type),
  more: Readonly<Record<string, JsonSchema>> = {},
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => {
  const { time, actor, role, request_id, reason, client } = metadata()
  const subject = isAboutUser(type)
    ? { description: 'The user.', ...schemaOf(opaqueId) }
    : { description: 'The SUT.', ...schemaOf(assignedId) }
  const members: Readonly<Record<Exclude<keyof CloudEvent, 'reason' | 'client' | 'subject'>, JsonSchema>> = {
    specversion: { const: '1.0' },
    id: { type: 'string', format: 'uuid', pattern: '^[0-9a-f-]{36}$' },
    source: { type: 'string', minLength: 1, description: 'The name of this log.' },
    type: { const: `berth.${type}` },
    ...(hasSubject(type) === 'always' && { subject }),
    time: { format: 'date-time', ...time },
    datacontenttype: { const: 'application/json' },
    dataschema: { const: schemaUrn(type, schemaVersion(type)) },
    data,
    sequence: { type: 'string', pattern: '^[0-9]{20}$', description: 'The position in the log.' },
    stream: { type: 'string', minLength: 1 },
    revision: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    actor: { description: 'The _id of the user who caused the event, or berth.', ...actor },
    actorrole: role,
    requestid: request_id,
  }
  return {
    title: type,
    type: 'object',
    properties: {
      ...members,
      ...(hasSubject(type) === 'sometimes' && { subject }),
      reason: { description: 'The reason given by the actor.', ...reason },
      client: { description: "The client's address as a keyed hash: its key's id and an HMAC.", ...client },
      ...more,
      ...optional,
    },
    required: [...Object.keys(members), ...Object.keys(more)].filter((name) => !Object.hasOwn(optional, name)),
    additionalProperties: false,
  }
}
