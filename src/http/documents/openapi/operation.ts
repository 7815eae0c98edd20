import type { JsonSchema } from '../../../domain/codec/json-schema.ts'
import type { Code } from '../../protocol/problem.ts'

/** What the route table does not contain: the description of an operation, its response schema and its own refusals. */
export interface Operation {
  /** The operation's name in generated clients. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** The schema of the JSON response. Other media types are text. */
  readonly answer: JsonSchema
  /** Whether it succeeds only with an upgrade to another protocol, 101. */
  readonly isUpgrade?: true
  /** Whether it responds with 201 and a Location. */
  readonly isCreation?: true
  /** Whether its responses say until when the reservation or request is kept alive. */
  readonly isKept?: true
  /** Whether its responses have an ETag. */
  readonly isTagged?: true
  readonly refusals?: readonly Code[]
  /** Descriptions of parameters that differ from the usual ones. */
  readonly notes?: Readonly<Record<string, string>>
}

/** In the order in which a newcomer needs them. */
export const TAGS = {
  SUTs: 'Systems under test: the machines that can be reserved. See [Machines](/guide/machines).',
  Reservations: 'Who has which SUT, from when to when. See [Reservations](/guide/reservations).',
  Sessions: 'When reservations were used, and by how many connections. See [Machines](/guide/machines).',
  Users: 'Who can sign in, who you are, and how people come and leave. See [People](/guide/people).',
  'History and feed': 'What happened, from the beginning or live. See [The feed](/guide/feed).',
  Proof: 'Evidence that nobody altered the log. See [Proof](/guide/proof).',
  Service: 'Health and metrics. See [Operating](/guide/operating).',
  Documents: 'What the service says about its interface. See [The HTTP interface](/guide/http).',
} as const
export type Tag = keyof typeof TAGS

/** By route, such as `GET /api/sut/:id`. */
export type Operations = Readonly<Record<string, Operation>>
