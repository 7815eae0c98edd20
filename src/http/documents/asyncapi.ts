import type { JsonSchema } from '../../domain/codec/json-schema.ts'
import { DETAILS } from '../../feed/events/frames.ts'
import { closedObject } from './openapi/answer-schemas.ts'
import { cloudEventSchema, eventTypes } from './openapi/event-schemas.ts'
import { DESCRIPTION, securitySchemes } from './openapi/openapi.ts'

/** The AsyncAPI 3.0 document of the feed. */

/** Messages of a stream that are not events of the log. */
const signs = (): Readonly<Record<'checkpoint' | 'error', JsonSchema>> => ({
  checkpoint: {
    title: 'The position of a reader for which no event matched',
    ...closedObject({ sequence: { type: 'string', pattern: '^[0-9]{20}$' } }),
  },
  error: {
    title: 'Why the stream ended',
    ...closedObject({ code: { type: 'string', enum: Object.keys(DETAILS) }, detail: { type: 'string' } }),
  },
})

const message = (name: string, schema: string): JsonSchema => ({
  name,
  title: schema,
  contentType: 'application/json',
  payload: { $ref: `#/components/schemas/${schema}` },
})

const messages = (): Readonly<Record<string, JsonSchema>> => ({
  ...Object.fromEntries(eventTypes.map((type) => [type, message(`berth.${type}`, type)])),
  ...Object.fromEntries(Object.keys(signs()).map((name) => [name, message(name, name)])),
})

const security = ['basic', 'bearer'].map((name) => ({ $ref: `#/components/securitySchemes/${name}` }))

/** Only the operator knows the service's address. Clients fill in the one they got this document from. */
const server = (protocol: 'http' | 'https', description: string): JsonSchema => ({
  host: '{host}',
  protocol,
  description,
  variables: { host: { default: 'localhost:8080', description: 'The host and port of the service.' } },
  security,
})

export const asyncApi = (version: string): JsonSchema => {
  const all = messages()
  const names = Object.keys(all)
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
      events: {
        address: '/api/events',
        title: 'Events',
        servers: [{ $ref: '#/servers/plain' }, { $ref: '#/servers/encrypted' }],
        description:
          'Server-Sent Events: `id` is the position, `event` the type, `data` the CloudEvent. Resume with `Last-Event-ID` or `after`.',
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      },
    },
    operations: {
      sendEvents: {
        action: 'send',
        channel: { $ref: '#/channels/events' },
        summary: 'Sends every event once, in order.',
        security,
        bindings: { http: { method: 'GET', bindingVersion: '0.3.0' } },
        messages: names.map((name) => ({ $ref: `#/channels/events/messages/${name}` })),
      },
    },
    components: {
      messages: all,
      schemas: { ...Object.fromEntries(eventTypes.map((type) => [type, cloudEventSchema(type)])), ...signs() },
      securitySchemes,
    },
  }
}
