import type { JsonSchema } from '../../../domain/codec/json-schema.ts'
import type { Code } from '../../protocol/problem.ts'

/** What the page of routes does not say of an operation: what it is for, what it answers, what it refuses by itself. */
export interface Operation {
  /** Its name in clients that are made from the document. */
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** The schema of its answer. What the route can answer with besides is text. */
  readonly answer: JsonSchema
  /** Whether it answers 201 with a Location. */
  readonly isCreation?: true
  /** Whether its answers have an ETag. */
  readonly isTagged?: true
  readonly refusals?: readonly Code[]
  /** What its parameters mean where that is not what others of their name mean. */
  readonly notes?: Readonly<Record<string, string>>
}

/** In the order in which a newcomer needs them. */
export const TAGS = {
  SUTs: 'Systems under test: the machines that can be reserved. See [Machines](/guide/machines).',
  Reservations: 'Who has which SUT, from when to when. See [Reservations](/guide/reservations).',
  Users: 'Who can sign in, and who you are. See [Security](/guide/security).',
  'History and feed': 'What happened, from the beginning or live. See [The feed](/guide/feed).',
  Proof: 'Evidence that nobody altered the log. See [Proof](/guide/proof).',
  Service: 'Health and metrics. See [Operating](/guide/operating).',
  Documents: 'What the service says about its interface. See [The HTTP interface](/guide/http).',
} as const
export type Tag = keyof typeof TAGS
