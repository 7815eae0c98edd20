import type { JsonSchema } from '../../../domain/codec/json-schema.ts'
import { EVENT_TYPES, type EventType } from '../../../domain/event.ts'
import { refTo } from '../../protocol/declaration.ts'
import { cloudEventSchema, dataSchema } from '../event-schemas/event-schemas.ts'
import { closedObject, listOfAll, listSchemaOf } from './answer-schemas.ts'

/** Schemas of responses about the log. */

const POSITION: JsonSchema = { type: 'string', pattern: '^[0-9]{20}$' }
/** 32 bytes in base64. */
const HASH: JsonSchema = { type: 'string', pattern: '^[A-Za-z0-9+/]{43}=$' }
const SIZE: JsonSchema = { type: 'integer', minimum: 0 }

const dataName = (type: EventType): string => `${type}Data`

type Members = Readonly<Record<string, JsonSchema>>

const anyEvent = (more: Members = {}, optional: Members = {}): JsonSchema => ({
  oneOf: EVENT_TYPES.map((type) => cloudEventSchema(type, refTo(dataName(type)), more, optional)),
})

const VALUE: JsonSchema = { type: ['string', 'number', 'boolean', 'object', 'null'] }
const PATH: JsonSchema = { type: 'string', pattern: '^/', description: 'A JSON Pointer into the object.' }

/** The name of a user or a SUT, as of now. */
const NAME: JsonSchema = { type: 'string' }

const REVISION: JsonSchema = {
  type: 'integer',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The number of the event in its stream. Not shown to users with a scope.',
}

/** What an event changed, as old and new values. Of a secret only the fact is shown. */
const CHANGES: JsonSchema = listOfAll({
  oneOf: [closedObject({ path: PATH, from: VALUE, to: VALUE }), closedObject({ path: PATH, changed: { const: true } })],
})

export const logSchemas = (): Readonly<Record<string, JsonSchema>> => ({
  ...Object.fromEntries(EVENT_TYPES.map((type) => [dataName(type), dataSchema(type)])),
  Event: anyEvent(),
  /** `next` is null while the log is empty. */
  EventPage: closedObject({
    events: listOfAll(refTo('Event')),
    next: { anyOf: [POSITION, { type: 'null' }] },
    caught_up: { type: 'boolean' },
  }),
  HistoryEvent: anyEvent({ changes: CHANGES }, { actorname: NAME, username: NAME, sutname: NAME, revision: REVISION }),
  History: listSchemaOf('events', refTo('HistoryEvent')),
  Inclusion: closedObject({
    tree_size: SIZE,
    leaf_index: SIZE,
    leaf_hash: HASH,
    leaf: {
      type: 'string',
      description: 'The event as stored. leaf_hash is the SHA-256 of a zero byte followed by this text.',
    },
    hashes: listOfAll(HASH),
  }),
  Consistency: closedObject({ from: SIZE, to: SIZE, hashes: listOfAll(HASH) }),
})
