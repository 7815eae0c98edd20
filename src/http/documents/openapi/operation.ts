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

export const TAGS = {
  Reservations: 'Windows of time in which a user has a SUT.',
  SUTs: 'Systems under test: the machines that are reserved.',
  Users: 'Who is known.',
  'History and feed': 'What happened, from the beginning or live.',
  Proof: 'That the log is what it was.',
  Service: 'How the service is, and what it says of itself.',
} as const
export type Tag = keyof typeof TAGS
