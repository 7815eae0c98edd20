import type { JsonSchema } from '../../domain/codec/json-schema.ts'
import { EVENT_TYPES } from '../../domain/event.ts'
import { KINDS } from '../../domain/events/declaration.ts'
import { DETAILS } from '../../feed/events/frames.ts'
import { cloudEventSchema } from './event-schemas/event-schemas.ts'
import { DESCRIPTION, securitySchemes } from './openapi/openapi.ts'

/** The AsyncAPI 3.0 document of the feed. */

const sequence = {
  ...{ type: 'string', pattern: '^[0-9]{20}$' },
  description: 'The position in the log.',
  examples: ['00000000000000000005'],
} as const

const digest = {
  type: 'string',
  description: 'The digest in the addresses of the files of the page.',
  examples: ['0c5f3f5e2ad5d6a7'],
} as const

/** An object of these members, to which others may be added. */
const object = (title: string, properties: JsonSchema): JsonSchema => ({
  ...{ title, type: 'object', properties },
  required: Object.keys(properties),
})

/** Messages of a stream that are not events of the log. */
const SIGNS = {
  checkpoint: object('The position of a reader for which no event matched', { sequence }),
  error: object('Why the stream ended', {
    code: { type: 'string', enum: Object.keys(DETAILS), description: 'Why, for programs.', examples: ['stopping'] },
    detail: { type: 'string', description: 'Why, for people.', examples: [DETAILS.stopping] },
  }),
}

/** Messages of a stream of changes only. */
const TIDINGS = {
  ready: object('From where the stream follows', { sequence, digest }),
  change: object('An object that changed, with its last event', {
    sequence,
    kind: { type: 'string', enum: KINDS, description: 'What it is.', examples: ['sut_reservation'] },
    _id: { type: 'string', description: 'The id of the object.', examples: ['6b01828c97de47e8464dc470'] },
    sut_id: {
      anyOf: [{ type: 'string' }, { type: 'null' }],
      description: 'The SUT that it concerns; null where there is none.',
      examples: ['6b01828c3298bbe6e6f520ab'],
    },
  }),
  reload: object('Too much changed to be told: read everything again', { sequence, digest }),
}

const message = (name: string, schema = name): readonly [string, JsonSchema] => [
  schema,
  {
    name,
    title: schema,
    contentType: 'application/json',
    payload: { $ref: `#/components/schemas/${schema}` },
  },
]

const security = ['basic', 'bearer'].map((name) => ({ $ref: `#/components/securitySchemes/${name}` }))

const channel = (address: string, title: string, description: string, names: readonly string[]): JsonSchema => ({
  ...{ address, title, description },
  servers: [{ $ref: '#/servers/plain' }, { $ref: '#/servers/encrypted' }],
  messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
})

const sending = (name: string, summary: string, names: readonly string[]): JsonSchema => ({
  ...{ action: 'send', summary, security },
  channel: { $ref: `#/channels/${name}` },
  bindings: { http: { method: 'GET', bindingVersion: '0.3.0' } },
  messages: names.map((one) => ({ $ref: `#/channels/${name}/messages/${one}` })),
})

/** Only the operator knows the service's address. Clients fill in the one they got this document from. */
const server = (protocol: 'http' | 'https', description: string): JsonSchema => ({
  host: '{host}',
  protocol,
  description,
  variables: { host: { default: 'localhost:8080', description: 'The host and port of the service.' } },
  security,
})

export const asyncApi = (version: string): JsonSchema => {
  const ofEvents = [...EVENT_TYPES, ...Object.keys(SIGNS)]
  const ofChanges = Object.keys({ ...TIDINGS, ...SIGNS })
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Berth: the feed of events',
      version,
      description: `${DESCRIPTION} The feed sends every event once, in order, from the beginning or from any position, and then live.`,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      plain: server('http', 'Unencrypted: on the same machine, or behind a proxy.'),
      encrypted: server('https', 'Encrypted, with the certificate of the service or of a proxy in front of it.'),
    },
    channels: {
      events: channel(
        '/api/events',
        'Events',
        'Server-Sent Events: `id` is the position, `event` the type, `data` the CloudEvent. Resume with `Last-Event-ID` or `after`.',
        ofEvents,
      ),
      changes: channel(
        '/api/changes',
        'Changes',
        'Server-Sent Events: which of the objects that one may read have changed, without their contents. Resume with `Last-Event-ID` or `after`.',
        ofChanges,
      ),
    },
    operations: {
      sendEvents: sending('events', 'Sends every event once, in order.', ofEvents),
      sendChanges: sending('changes', 'Sends each object that changed, once in 250 ms.', ofChanges),
    },
    components: {
      messages: Object.fromEntries([
        ...EVENT_TYPES.map((type) => message(`berth.${type}`, type)),
        ...Object.keys({ ...SIGNS, ...TIDINGS }).map((name) => message(name)),
      ]),
      schemas: {
        ...Object.fromEntries(EVENT_TYPES.map((type) => [type, cloudEventSchema(type)])),
        ...SIGNS,
        ...TIDINGS,
      },
      securitySchemes,
    },
  }
}
