/** The AsyncAPI 3.0 document of the feed. */

import type { JsonSchema } from '../../domain/codec/json-schema.ts'
import { EVENT_TYPES } from '../../domain/event.ts'
import { KINDS } from '../../domain/events/declaration.ts'
import { DETAILS } from '../../feed/events/frames.ts'
import { cloudEventSchema, example, member, sequence } from './event-schemas/event-schemas.ts'
import { DESCRIPTION, securitySchemes } from './openapi/openapi.ts'

const string: JsonSchema = { type: 'string' }
const digest = member('The digest in the addresses of the files of the page.', string, '0c5f3f5e2ad5d6a7')

/** An object of these members, to which others may be added. */
const object = (title: string, properties: JsonSchema): JsonSchema => ({
  ...{ title, type: 'object', properties, required: Object.keys(properties) },
})

/** Messages of a stream that are not events of the log. */
const SIGNS: JsonSchema = {
  checkpoint: object('The position of a reader for which no event matched', { sequence }),
  error: object('Why the stream ended', {
    code: member('Why, for programs.', { type: 'string', enum: Object.keys(DETAILS) }, 'stopping'),
    detail: member('Why, for people.', string, DETAILS.stopping),
  }),
}

/** Messages of a stream of changes only. */
const TIDINGS: JsonSchema = {
  ready: object('From where the stream follows', { sequence, digest }),
  change: object('An object that changed, with its last event', {
    sequence,
    kind: member('What it is.', { type: 'string', enum: KINDS }, 'sut_reservation'),
    _id: member('The id of the object.', string, example('_id')),
    sut_id: member(
      'The SUT that it concerns; null where there is none.',
      { anyOf: [string, { type: 'null' }] },
      example('sut_id'),
    ),
  }),
  reload: object('Too much changed to be told: read everything again', { sequence, digest }),
}

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
const security = ['basic', 'bearer'].map((name) => ref('securitySchemes', name))

/** Only the operator knows the service's address. Clients fill in the one they got this document from. */
const server = (protocol: 'http' | 'https', description: string): JsonSchema => ({
  ...{ host: '{host}', protocol, description, security },
  variables: { host: { default: 'localhost:8080', description: 'The host and port of the service.' } },
})

const EVENTS = [...EVENT_TYPES, ...Object.keys(SIGNS)]
const CHANGES = Object.keys({ ...TIDINGS, ...SIGNS })

const channel = (address: string, title: string, description: string, names: readonly string[]): JsonSchema => ({
  ...{ address, title, description: `Server-Sent Events: ${description} Resume with \`Last-Event-ID\` or \`after\`.` },
  servers: [{ $ref: '#/servers/plain' }, { $ref: '#/servers/encrypted' }],
  messages: Object.fromEntries(names.map((name) => [name, ref('messages', name)])),
})

const sending = (channel: string, summary: string, names: readonly string[]): JsonSchema => ({
  ...{ action: 'send', summary, security, channel: { $ref: `#/channels/${channel}` } },
  bindings: { http: { method: 'GET', bindingVersion: '0.3.0' } },
  messages: names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
})

const message = (title: string, name: string) => [
  title,
  { name, title, contentType: 'application/json', payload: ref('schemas', title) },
]

export const asyncApi = (version: string): JsonSchema => ({
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
      ...(['/api/events', 'Events', '`id` is the position, `event` the type, `data` the CloudEvent.', EVENTS] as const),
    ),
    changes: channel(
      ...(['/api/changes', 'Changes'] as const),
      'which of the objects that one may read have changed, without their contents.',
      CHANGES,
    ),
  },
  operations: {
    sendEvents: sending('events', 'Sends every event once, in order.', EVENTS),
    sendChanges: sending('changes', 'Sends each object that changed, once in 250 ms.', CHANGES),
  },
  components: {
    messages: Object.fromEntries([
      ...EVENT_TYPES.map((type) => message(type, `berth.${type}`)),
      ...CHANGES.map((name) => message(name, name)),
    ]),
    schemas: {
      ...Object.fromEntries(EVENT_TYPES.map((type) => [type, cloudEventSchema(type)])),
      ...{ ...SIGNS, ...TIDINGS },
    },
    securitySchemes,
  },
})
