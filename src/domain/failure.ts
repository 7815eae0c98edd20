import * as E from 'fp-ts/lib/Either.js'
import type { Quota } from './events/user.ts'

/** A single problem with a request, and its place. */
export interface Problem {
  /** The failure code of the request if all its problems have this code. */
  readonly code: FailureCode
  /** Member names from the document's root to the problem. */
  readonly path: readonly string[]
  readonly in: 'body' | 'query' | 'header'
  /** A sentence without its subject, like "must be a whole number from 1 to 65535". */
  readonly detail: string
}

/** What is told of a code wherever it is refused with. */
export interface CodeFacts {
  /** Of HTTP. */
  readonly status: number
  readonly title: string
  /** Seconds after which to retry, if that helps. */
  readonly retryAfter?: number
}

/** Reasons for refusing a command. `http/protocol/problem.ts` adds those of the transport. */
export const failureCodes = {
  forbidden: { status: 403, title: 'Your role does not allow this' },
  not_your_reservation: { status: 403, title: 'The reservation belongs to another user' },
  not_your_request: { status: 403, title: 'The request belongs to another user' },
  priority_too_high: { status: 403, title: 'The priority is too high' },
  quota_exceeded: { status: 403, title: 'The quota is used up' },
  wrong_password: { status: 403, title: 'The old password is wrong' },
  sut_not_found: { status: 404, title: 'SUT not found' },
  reservation_not_found: { status: 404, title: 'Reservation not found' },
  series_not_found: { status: 404, title: 'Series not found' },
  request_not_found: { status: 404, title: 'Request not found' },
  user_not_found: { status: 404, title: 'User not found' },
  token_not_found: { status: 404, title: 'Token not found' },
  webhook_not_found: { status: 404, title: 'Webhook not found' },
  user_name_taken: { status: 409, title: 'The name is taken' },
  user_id_taken: { status: 409, title: 'The id is taken' },
  too_many_tokens: { status: 409, title: 'The user has too many tokens' },
  too_many_webhooks: { status: 409, title: 'There are too many webhooks' },
  last_administrator: { status: 409, title: 'It is the last administrator' },
  user_not_removed: { status: 409, title: 'The user has not been removed' },
  user_erased: { status: 409, title: 'The user has been erased' },
  no_sut_free: { status: 409, title: 'No SUT that fits is free' },
  reservation_conflict: { status: 409, title: 'The window is not free' },
  too_many_requests: { status: 409, title: 'Too many requests are waiting' },
  request_granted: { status: 409, title: 'The request has been granted' },
  request_over: { status: 409, title: 'The request is over' },
  sut_inactive: { status: 409, title: 'The SUT is not active' },
  sut_reserved: { status: 409, title: 'The SUT is reserved' },
  reservation_over: { status: 409, title: 'The reservation is over' },
  reservation_not_running: { status: 409, title: 'The reservation has not started' },
  not_kept_alive: { status: 409, title: 'It need not be kept alive' },
  not_vnc: { status: 409, title: 'The SUT is not reached over VNC' },
  not_forwarded: { status: 409, title: 'This instance does not forward the SUT' },
  idempotency_in_progress: { status: 409, title: 'The same request is still in progress', retryAfter: 1 },
  sut_retired: { status: 410, title: 'The SUT has been retired' },
  reservation_cancelled: { status: 410, title: 'The reservation has been cancelled' },
  user_removed: { status: 410, title: 'The user has been removed' },
  stale: { status: 412, title: 'The object has changed since it was read' },
  invalid: { status: 422, title: 'The request has invalid fields' },
  field_unknown: { status: 422, title: 'The request has unknown fields' },
  field_read_only: { status: 422, title: 'The request sets fields that the service assigns' },
  sut_required: { status: 422, title: 'The request names no SUT' },
  sut_ambiguous: { status: 422, title: 'The request names a SUT and criteria' },
  no_sut_matches: { status: 422, title: 'No SUT fits' },
  window_required: { status: 422, title: 'The window is incomplete' },
  window_ambiguous: { status: 422, title: 'The request describes more than one window' },
  window_empty: { status: 422, title: 'The window is empty' },
  window_over: { status: 422, title: 'The window is over' },
  window_too_long: { status: 422, title: 'The window is too long' },
  window_too_far: { status: 422, title: 'The window is too far ahead' },
  window_in_the_past: { status: 422, title: 'The window starts in the past' },
  end_not_later: { status: 422, title: 'The new end is not later than the current one' },
  series_start_mismatch: { status: 422, title: 'The first window is no occurrence of the rule' },
  series_too_long: { status: 422, title: 'The rule gives too many windows' },
  series_too_short: { status: 422, title: 'The rule gives fewer than two windows' },
  series_overlaps: { status: 422, title: 'The rule gives windows that overlap' },
  end_not_later_than_now: { status: 422, title: 'The new end is not later than now' },
  end_not_earlier: { status: 422, title: 'The new end is not earlier than the current one' },
  list_too_large: { status: 422, title: 'The list is too large' },
  report_too_large: { status: 422, title: 'The report is too large' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key belongs to another request' },
  unavailable: { status: 503, title: 'Temporarily unavailable', retryAfter: 1 },
  store_full: { status: 503, title: 'The event store is full', retryAfter: 60 },
  outcome_unknown: { status: 503, title: 'The outcome is unknown', retryAfter: 1 },
  listen_ports_exhausted: { status: 503, title: 'No listen_port is free', retryAfter: 3600 },
  position_not_reached: { status: 503, title: 'This instance has not reached that position yet', retryAfter: 1 },
  clock_behind: { status: 503, title: 'The clock of the service is behind', retryAfter: 60 },
  clock_ahead: { status: 503, title: 'The clock of the service is ahead', retryAfter: 60 },
} satisfies Record<string, CodeFacts>
export type FailureCode = keyof typeof failureCodes

/** Those by which somebody does not get a SUT for what is reserved already, its state or a limit on what users hold. */
export const DEMAND_CODES: ReadonlySet<string> = new Set<FailureCode>([
  ...(['no_sut_free', 'reservation_conflict', 'sut_inactive', 'quota_exceeded', 'too_many_requests'] as const),
])

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

/** Refuses a command that was meant for another revision of an object: it must be one of these, if any are given. */
export const refuseStale = (what: 'SUT' | 'user', revision: number, ifMatch: readonly number[] | undefined) =>
  ifMatch === undefined || ifMatch.includes(revision)
    ? undefined
    : refuse('stale', `The ${what} has changed. Its ETag is now "${revision}": read it again and retry.`)

export const bodyProblem = (code: FailureCode, field: string, detail: string): Problem => ({
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
