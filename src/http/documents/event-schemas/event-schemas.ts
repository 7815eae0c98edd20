/** JSON Schemas of events: of their data, by type and version, and of the CloudEvents around it. */

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
import { noteOn } from '../../../domain/events/notes.ts'
import { schemaPath, schemaUrn } from '../../../feed/events/cloud-event.ts'

type Members = Readonly<Record<string, JsonSchema>>

const membersOf = ({ properties = {} }: JsonSchema): readonly (readonly [string, JsonSchema])[] =>
  Object.entries(properties as Members)

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** Adds the descriptions of all members, however deep. */
const withDescriptions = (type: EventType, schema: JsonSchema, path = ''): JsonSchema => {
  const { items, anyOf } = schema
  const inner = (one: JsonSchema): JsonSchema => withDescriptions(type, one, path)
  const properties = membersOf(schema).map(([name, member]) => {
    const at = join(path, name)
    return [name, { description: noteOn(type, at)?.[0], ...withDescriptions(type, member, at) }]
  })
  return {
    ...schema,
    ...('properties' in schema && { properties: Object.fromEntries(properties) }),
    ...(items !== undefined && { items: inner(items as JsonSchema) }),
    ...(anyOf !== undefined && { anyOf: (anyOf as readonly JsonSchema[]).map(inner) }),
  }
}

/** An example of what a schema of events describes: of each member, together. */
const exampleOf = (type: EventType, schema: JsonSchema, path = ''): unknown => {
  const example = noteOn(type, path)?.[1]
  const { items, anyOf, enum: values } = schema
  if (example !== undefined) return example
  if (values !== undefined) return (values as readonly unknown[])[0]
  if (schema.type === 'boolean') return true
  if (anyOf !== undefined) return exampleOf(type, (anyOf as readonly JsonSchema[])[0] as JsonSchema, path)
  if (items !== undefined) return [exampleOf(type, items as JsonSchema, path)]
  const shown = membersOf(schema).filter(([name]) => path !== '' || name !== factsOf(type).notInExample)
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(type, member, join(path, name))]))
}

/** The data of an event, for readers. What later versions added is left out. */
export const dataSchema = (type: EventType, version = schemaVersion(type)): JsonSchema => {
  const newest = schemaOf(eventDeclarations[type].data)
  const later = addedAfter(type, version)
  const members = membersOf(newest).filter(([name]) => !later.includes(name))
  const schema = { ...newest, properties: Object.fromEntries(members) }
  return { title: type, ...opened(withDescriptions(type, schema)), examples: [exampleOf(type, schema)] }
}

const $schema = 'https://json-schema.org/draft/2020-12/schema'

/** The documents at /schemas/, of each type the newest first. Events that were received earlier name older ones. */
export const schemaDocuments = EVENT_TYPES.flatMap((type) =>
  Array.from({ length: schemaVersion(type) }, (_, n) => {
    const version = schemaVersion(type) - n
    const urn = schemaUrn(type, version)
    const schema = (): JsonSchema => ({ $schema, $id: urn, ...dataSchema(type, version) })
    return { type, version, urn, href: schemaPath(type, version), schema }
  }),
)

/** A member with what readers are told of it. */
export const member = (description: string, schema: JsonSchema, ...examples: readonly unknown[]): JsonSchema => ({
  ...{ description, ...schema },
  ...(examples.length > 0 && { examples }),
})

/** An example of a member that any event may have. */
export const example = (name: string): unknown => noteOn('', name)?.[1]

const string: JsonSchema = { type: 'string', minLength: 1 }

/** Where an event is, as its own member and as one of signs of a stream. */
export const sequence = member(
  'The position in the log.',
  { type: 'string', pattern: '^[0-9]{20}$' },
  '00000000000000000005',
)

/** The member of its data that is the subject of an event, and whether it is always there. */
const subjectOf = (type: EventType): 'always' | 'sometimes' | 'never' => {
  const { properties, required } = schemaOf(eventDeclarations[type].data)
  const isObject = factsOf(type).object === 'sut' || isAboutUser(type)
  const names = [...(isObject ? ['_id'] : []), 'sut_id'].filter((name) => Object.hasOwn(properties as object, name))
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
  more: Members = {},
  optional: Members = {},
): JsonSchema => {
  const metadata = schemaOf(Metadata).properties as Readonly<Record<keyof Metadata, JsonSchema>>
  const { time, actor, role, request_id, reason, client } = metadata
  const ofSubject = subjectOf(type)
  const subject = isAboutUser(type)
    ? member('The user.', schemaOf(opaqueId), example('user_id'))
    : member('The SUT.', schemaOf(assignedId), example('sut_id'))
  const uuid = { type: 'string', format: 'uuid', pattern: '^[0-9a-f-]{36}$' }
  const dataschema = { type: 'string', pattern: `^urn:berth:schema:${type}:[0-9]+$` }
  const revision = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  const streams = [`sut-${example('sut_id')}`, 'users']
  const id = '01a1fde5-f4b1-7e97-9a38-59cec95b61df'
  const always: Members = {
    specversion: member('The version of CloudEvents.', { const: '1.0' }),
    id: member('The id of the event.', uuid, id),
    source: member('The name of this log.', string, 'berth'),
    type: member('What happened.', { const: `berth.${type}` }),
    ...(ofSubject === 'always' && { subject }),
    time: member('When it was recorded.', { format: 'date-time', ...time }, example('due')),
    datacontenttype: member('The format of data.', { const: 'application/json' }),
    dataschema: member('The schema of data. Later versions only add optional members.', dataschema),
    data: member('What is recorded of it.', data),
    sequence,
    stream: member('The stream in which it was recorded.', string, ...streams),
    revision: member('The number of the event in its stream.', revision, 1),
    actor: member('The _id of the user who caused the event, or berth.', actor, example('user_id')),
    actorrole: member('The role in which the actor caused it.', role),
    requestid: member('The request that caused it.', request_id, id),
    ...more,
  }
  const keyed = "The client's address as a keyed hash: its key's id and an HMAC."
  const sometimes: Members = {
    ...(ofSubject === 'sometimes' && { subject }),
    reason: member('The reason given by the actor.', reason, 'moved to another rack'),
    client: member(keyed, client, '2026-11-23-81a4:AYqLQ5wq6vBhCQ0bVvX1Zw'),
    ...optional,
  }
  return {
    ...{ title: type, type: 'object', properties: { ...always, ...sometimes } },
    required: Object.keys(always).filter((name) => !Object.hasOwn(optional, name)),
  }
}
