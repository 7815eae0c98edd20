/** One thing wrong with a request, and where. */
export interface Problem {
  /** The code that the whole request is refused with when all its problems are of this one kind. */
  readonly code: ProblemCode
  /** The member names from the document's root to the place. */
  readonly path: readonly string[]
  readonly in: 'body' | 'query' | 'header'
  /** A sentence without its subject: "must be a whole number from 1 to 65535". */
  readonly detail: string
}

export type ProblemCode =
  | 'invalid'
  | 'field_unknown'
  | 'field_read_only'
  | 'window_required'
  | 'window_ambiguous'
  | 'window_empty'
  | 'window_over'
  | 'window_too_long'
  | 'window_too_far'
  | 'window_in_the_past'
  | 'end_not_later'
  | 'idempotency_key_reused'

/** Why a command was refused, in the words of the domain. `http/problem.ts` gives each code its status and title. */
export type FailureCode =
  | ProblemCode
  | 'forbidden'
  | 'not_your_reservation'
  | 'sut_not_found'
  | 'reservation_not_found'
  | 'user_not_found'
  | 'reservation_conflict'
  | 'sut_inactive'
  | 'sut_reserved'
  | 'reservation_over'
  | 'idempotency_in_progress'
  | 'sut_retired'
  | 'reservation_cancelled'
  | 'stale'
  | 'unavailable'
  | 'store_full'
  | 'outcome_unknown'
  | 'listen_ports_exhausted'
  | 'position_not_reached'
  | 'clock_behind'
  | 'clock_ahead'

/** A reservation that stands in the way. */
export interface Conflict {
  readonly _id: string
  readonly user_id: string
  readonly start_time: string
  readonly end_time: string
}

export interface Failure {
  readonly code: FailureCode
  /** What is wrong, for a person to read. */
  readonly detail: string
  /** All of them. */
  readonly problems?: readonly Problem[]
  /** Facts that help to do better; members of the answer, under these names. */
  readonly help?: {
    readonly conflicts?: readonly Conflict[]
    readonly next_available?: { readonly start_time: string; readonly end_time: string } | null
    readonly extendable_until?: string | null
  }
}

export const failure = (code: FailureCode, detail: string, more: Pick<Failure, 'problems' | 'help'> = {}): Failure => ({
  code,
  detail,
  ...more,
})

export const bodyProblem = (code: ProblemCode, field: string, detail: string): Problem => ({
  code,
  path: [field],
  in: 'body',
  detail,
})

/** Problems that are told in the sentence of a refusal. */
const LISTED_MAX = 5

/** The refusal of a request with these problems: of their common kind, or `invalid` where they differ. */
export const invalid = (problems: readonly Problem[]): Failure => {
  const [first] = problems
  const code = first !== undefined && problems.every((problem) => problem.code === first.code) ? first.code : 'invalid'
  const sentences = problems
    .slice(0, LISTED_MAX)
    .map(({ path, detail }) => `${path.length === 0 ? 'the request' : path.join('/')} ${detail}`)
  const more = problems.length > LISTED_MAX ? `; and ${problems.length - LISTED_MAX} more` : ''
  return failure(code, `${sentences.join('; ')}${more}.`, { problems })
}
