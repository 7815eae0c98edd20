import { opaqueId } from '../../../domain/codec/codec.ts'
import { type JsonSchema, opened, schemaOf } from '../../../domain/codec/json-schema.ts'
import {
  addedAfter,
  EVENT_TYPES,
  type EventType,
  eventDeclarations,
  factsOf,
  isAboutUser,
  Metadata,
  schemaVersion,
} from '../../../domain/event.ts'
import { assignedId } from '../../../domain/events/fields.ts'
import { type CloudEvent, schemaPath, schemaUrn } from '../../../feed/events/cloud-event.ts'
import { exampleOf, withMemberNotes } from './event-members.ts'

/** JSON Schemas of events: of their data, by type and version, and of the CloudEvents around it. */

/** Without the members at some paths, which are optional. */
const without = (schema: JsonSchema, paths: readonly string[], path = ''): JsonSchema => {
  const { properties, items } = schema
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Readonly<Record<string, JsonSchema>>)
          .filter(([name]) => !paths.includes(at(name)))
          .map(([name, member]) => [name, without(member, paths, at(name))]),
      ),
    }),
    ...(items !== undefined && { items: without(items as JsonSchema, paths, path) }),
  }
}

/** The data of an event, for readers. */
export const dataSchema = (type: EventType, version = schemaVersion(type)): JsonSchema => {
  const schema = without(schemaOf(eventDeclarations[type].data), addedAfter(type, version))
  return { title: type, ...opened(withMemberNotes(type, schema)), examples: [exampleOf(type, schema)] }
}

interface SchemaDocument {
  readonly type: EventType
  readonly version: number
  /** Its `$id`, and the `dataschema` of events. */
  readonly urn: string
  readonly href: string
  readonly schema: () => JsonSchema
}

const $schema = 'https://json-schema.org/draft/2020-12/schema'

const documentOf = (type: EventType, version: number): SchemaDocument => {
  const urn = schemaUrn(type, version)
  const schema = (): JsonSchema => ({ $schema, $id: urn, ...dataSchema(type, version) })
  return { type, version, urn, href: schemaPath(type, version), schema }
}

/** The documents at /schemas/, of each type the newest first. Events that were received earlier name older ones. */
export const schemaDocuments: readonly SchemaDocument[] = EVENT_TYPES.flatMap((type) => {
  const newest = schemaVersion(type)
  return Array.from({ length: newest }, (_, n) => documentOf(type, newest - n))
})

const EVENT_ID = '01a1fde5-f4b1-7e97-9a38-59cec95b61df'
const USER_ID = '6b01828b6e9e663bff2b20c9'

const metadata = (): Readonly<Record<keyof Metadata, JsonSchema>> =>
  schemaOf(Metadata).properties as Readonly<Record<keyof Metadata, JsonSchema>>

/** Whether an event has a subject; `sometimes` if the member of its data is optional. */
const hasSubject = (type: EventType): 'always' | 'sometimes' | 'never' => {
  const { properties, required } = schemaOf(eventDeclarations[type].data)
  const { object } = factsOf(type)
  const names = [...(object === 'sut' || isAboutUser(type) ? ['_id'] : []), 'sut_id'].filter((name) =>
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
    ? { description: 'The user.', ...schemaOf(opaqueId), examples: [USER_ID] }
    : { description: 'The SUT.', ...schemaOf(assignedId), examples: ['6b01828c3298bbe6e6f520ab'] }
  const members: Readonly<Record<Exclude<keyof CloudEvent, 'reason' | 'client' | 'subject'>, JsonSchema>> = {
    specversion: { const: '1.0', description: 'The version of CloudEvents.' },
    id: {
      type: 'string',
      format: 'uuid',
      pattern: '^[0-9a-f-]{36}$',
      description: 'The id of the event.',
      examples: [EVENT_ID],
    },
    source: { type: 'string', minLength: 1, description: 'The name of this log.', examples: ['berth'] },
    type: { const: `berth.${type}`, description: 'What happened.' },
    ...(hasSubject(type) === 'always' && { subject }),
    time: {
      format: 'date-time',
      ...time,
      description: 'When it was recorded.',
      examples: ['2030-05-02T05:58:11.400Z'],
    },
    datacontenttype: { const: 'application/json', description: 'The format of data.' },
    dataschema: {
      type: 'string',
      pattern: `^urn:berth:schema:${type}:[0-9]+$`,
      description: 'The schema of data. Later versions only add optional members.',
    },
    data: { description: 'What is recorded of it.', ...data },
    sequence: {
      type: 'string',
      pattern: '^[0-9]{20}$',
      description: 'The position in the log.',
      examples: ['00000000000000000005'],
    },
    stream: {
      ...{ type: 'string', minLength: 1, description: 'The stream in which it was recorded.' },
      examples: ['sut-6b01828c3298bbe6e6f520ab', 'users'],
    },
    revision: {
      ...{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      description: 'The number of the event in its stream.',
      examples: [1],
    },
    actor: { description: 'The _id of the user who caused the event, or berth.', ...actor, examples: [USER_ID] },
    actorrole: { ...role, description: 'The role in which the actor caused it.' },
    requestid: { ...request_id, description: 'The request that caused it.', examples: [EVENT_ID] },
  }
  return {
    title: type,
    type: 'object',
    properties: {
      ...members,
      ...(hasSubject(type) === 'sometimes' && { subject }),
      reason: { description: 'The reason given by the actor.', ...reason, examples: ['moved to another rack'] },
      client: {
        ...{ description: "The client's address as a keyed hash: its key's id and an HMAC.", ...client },
        examples: ['2026-11-23-81a4:AYqLQ5wq6vBhCQ0bVvX1Zw'],
      },
      ...more,
      ...optional,
    },
    required: [...Object.keys(members), ...Object.keys(more)].filter((name) => !Object.hasOwn(optional, name)),
  }
}
