import * as E from 'fp-ts/lib/Either.js'
import type { Quota } from './events/user.ts'

/** A single problem with a request, and its place. */
export interface Problem {
  /** The failure code of the request if all its problems have this code. */
  readonly code: ProblemCode
  /** Member names from the document's root to the problem. */
  readonly path: readonly string[]
  readonly in: 'body' | 'query' | 'header'
  /** A sentence without its subject, like "must be a whole number from 1 to 65535". */
  readonly detail: string
}

export type ProblemCode =
  | 'invalid'
  | 'field_unknown'
  | 'field_read_only'
  | 'sut_required'
  | 'sut_ambiguous'
  | 'window_required'
  | 'window_ambiguous'
  | 'window_empty'
  | 'window_over'
  | 'window_too_long'
  | 'window_too_far'
  | 'window_in_the_past'
  | 'end_not_later'
  | 'series_start_mismatch'
  | 'series_too_long'
  | 'series_too_short'
  | 'series_overlaps'
  | 'end_not_later_than_now'
  | 'end_not_earlier'
  | 'idempotency_key_reused'

/** Reasons for refusing a command, in domain terms. `http/protocol/problem.ts` maps each code to a status and a title. */
export type FailureCode =
  | ProblemCode
  | 'forbidden'
  | 'not_your_reservation'
  | 'quota_exceeded'
  | 'sut_not_found'
  | 'reservation_not_found'
  | 'series_not_found'
  | 'user_not_found'
  | 'user_name_taken'
  | 'user_id_taken'
  | 'last_administrator'
  | 'user_not_removed'
  | 'user_erased'
  | 'user_removed'
  | 'token_not_found'
  | 'too_many_tokens'
  | 'wrong_password'
  | 'no_sut_matches'
  | 'no_sut_free'
  | 'reservation_conflict'
  | 'sut_inactive'
  | 'sut_reserved'
  | 'reservation_over'
  | 'reservation_not_running'
  | 'not_kept_alive'
  | 'not_vnc'
  | 'not_forwarded'
  | 'idempotency_in_progress'
  | 'sut_retired'
  | 'reservation_cancelled'
  | 'stale'
  | 'list_too_large'
  | 'unavailable'
  | 'store_full'
  | 'outcome_unknown'
  | 'listen_ports_exhausted'
  | 'position_not_reached'
  | 'clock_behind'
  | 'clock_ahead'
  | 'request_not_found'
  | 'not_your_request'
  | 'priority_too_high'
  | 'too_many_requests'
  | 'request_granted'
  | 'request_over'

/** Conflicts listed in a refusal. */
export const CONFLICTS_MAX = 100

export interface Conflict {
  readonly _id: string
  readonly user_id: string
  readonly start_time: string
  readonly end_time: string
  /** Present where the windows do not overlap, but the turnaround of the SUT does not fit between. */
  readonly turnaround?: true
  /** The start, as asked for, of the occurrence of a series that it conflicts with. */
  readonly occurrence?: string
}

export interface OfferedWindow {
  readonly sut_id: string
  readonly start_time: string
  readonly end_time: string
}

/** How a reservation ended: at its end, by somebody, or by the service. */
export const OVER_CAUSES = ['ended', 'released', 'keepalive', 'unused', 'cancelled'] as const
export type OverCause = (typeof OVER_CAUSES)[number]

export interface Failure {
  readonly code: FailureCode
  /** Description for people. */
  readonly detail: string
  readonly problems?: readonly Problem[]
  /** Facts that help the client. They become members of the response, under these names. */
  readonly help?: {
    readonly conflicts?: readonly Conflict[]
    /** Where what is free from the start of the window ends; null if its start is taken. */
    readonly free_until?: string | null
    /** With its SUT, if one of several is meant. */
    readonly next_available?: OfferedWindow | Omit<OfferedWindow, 'sut_id'> | null
    readonly extendable_until?: string | null
    /** How many SUTs fit criteria. */
    readonly matching?: number
    /** The longest window that one of them has free from the start of the window; null if none is free then. */
    readonly longest?: OfferedWindow | null
    /** What the user has reserved before. */
    readonly used?: { readonly hours: number; readonly reservations: number }
    readonly quota?: Quota
    /** The ISO week whose hours are used up; null if it is the number of reservations. */
    readonly week?: string | null
    readonly sut_reservation_id?: string
    readonly cause?: OverCause
    /** Who released or cancelled a reservation; null if nobody did, or if it is not for the caller to know. */
    readonly by?: string | null
  }
}

export const failure = (code: FailureCode, detail: string, more: Pick<Failure, 'problems' | 'help'> = {}): Failure => ({
  code,
  detail,
  ...more,
})

/** A refusal, as a decision returns it. */
export const refuse = (...args: Parameters<typeof failure>): E.Either<Failure, never> => E.left(failure(...args))

export const bodyProblem = (code: ProblemCode, field: string, detail: string): Problem => ({
  code,
  path: [field],
  in: 'body',
  detail,
})

/** Problems listed in the failure's detail. */
const LISTED_MAX = 5

/** The failure for a request with these problems. Its code is their common code, or `invalid` if they differ. */
export const invalid = (problems: readonly Problem[]): Failure => {
  const [first] = problems
  const code = first !== undefined && problems.every((problem) => problem.code === first.code) ? first.code : 'invalid'
  const sentences = problems
    .slice(0, LISTED_MAX)
    .map(({ path, detail }) => `${path.length === 0 ? 'the request' : path.join('/')} ${detail}`)
  const more = problems.length > LISTED_MAX ? `; and ${problems.length - LISTED_MAX} more` : ''
  return failure(code, `${sentences.join('; ')}${more}.`, { problems })
}
