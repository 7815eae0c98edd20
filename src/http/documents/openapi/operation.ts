import type { JsonSchema } from '../../../domain/codec/json-schema.ts'
import type { Code } from '../../protocol/problem.ts'

/** What the route table does not contain: the description of an operation, its response schema and its own refusals. */
export interface Operation {
  /** The operation's name in generated clients. */
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** The schema of the JSON response. Other media types are text. */
  readonly answer: JsonSchema
  /** Whether it responds with 201 and a Location. */
  readonly isCreation?: true
  /** Whether its responses have an ETag. */
  readonly isTagged?: true
  readonly refusals?: readonly Code[]
  /** Descriptions of parameters that differ from the usual ones. */
  readonly notes?: Readonly<Record<string, string>>
}

export const TAGS = {
  Reservations: 'Windows of time in which a user holds a SUT.',
  SUTs: 'Systems under test: the machines to be reserved.',
  Users: 'The users of the service.',
  'History and feed': 'Recorded events, from the beginning or live.',
  Proof: 'Signed checkpoints and proofs that the log has not been changed.',
  Service: 'Health, metrics and documentation.',
} as const
export type Tag = keyof typeof TAGS
