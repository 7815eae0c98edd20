import type { Failure, FailureCode, Problem } from '../../domain/failure.ts'
import { escapeLineSeparators } from '../../domain/values/text.ts'

interface CodeFacts {
  readonly status: number
  readonly title: string
  /** Seconds after which to retry, if that helps. */
  readonly retryAfter?: number
}

/** Every refusal: those of domain/failure.ts, and those of the transport. */
const CODES = {
  malformed_request: { status: 400, title: 'Malformed HTTP request' },
  malformed_json: { status: 400, title: 'Malformed JSON body' },
  unauthenticated: { status: 401, title: 'Authentication is required' },
  forbidden: { status: 403, title: 'Your role does not allow this' },
  not_your_reservation: { status: 403, title: 'The reservation belongs to another user' },
  not_your_request: { status: 403, title: 'The request belongs to another user' },
  priority_too_high: { status: 403, title: 'The priority is too high' },
  quota_exceeded: { status: 403, title: 'The quota is used up' },
  wrong_password: { status: 403, title: 'The old password is wrong' },
  cross_site: { status: 403, title: 'Cross-site requests are not allowed' },
  ticket_invalid: { status: 403, title: 'The ticket is not valid' },
  sign_in_failed: { status: 403, title: 'The sign-in failed' },
  no_role: { status: 403, title: 'The provider gives no role' },
  not_found: { status: 404, title: 'Not found' },
  oidc_not_configured: { status: 404, title: 'There is no single sign-on' },
  sut_not_found: { status: 404, title: 'SUT not found' },
  reservation_not_found: { status: 404, title: 'Reservation not found' },
  series_not_found: { status: 404, title: 'Series not found' },
  request_not_found: { status: 404, title: 'Request not found' },
  user_not_found: { status: 404, title: 'User not found' },
  token_not_found: { status: 404, title: 'Token not found' },
  event_not_found: { status: 404, title: 'Event not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  not_acceptable: { status: 406, title: 'No acceptable media type' },
  user_name_taken: { status: 409, title: 'The name is taken' },
  user_id_taken: { status: 409, title: 'The id is taken' },
  too_many_tokens: { status: 409, title: 'The user has too many tokens' },
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
  body_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
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
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key belongs to another request' },
  upgrade_required: { status: 426, title: 'This address takes WebSocket connections only' },
  too_many_attempts: { status: 429, title: 'Too many failed login attempts' },
  too_many_checks: { status: 429, title: 'The SUT was checked within the last second', retryAfter: 1 },
  too_many_subscribers: { status: 429, title: 'The user has too many event streams', retryAfter: 10 },
  internal: { status: 500, title: 'Internal error' },
  not_implemented: { status: 501, title: 'Transfer coding not supported' },
  provider_unavailable: { status: 502, title: 'The provider of single sign-on is unavailable', retryAfter: 5 },
  unavailable: { status: 503, title: 'Temporarily unavailable', retryAfter: 1 },
  gateway_full: { status: 503, title: 'The gateway has no room for another connection', retryAfter: 5 },
  store_full: { status: 503, title: 'The event store is full', retryAfter: 60 },
  outcome_unknown: { status: 503, title: 'The outcome is unknown', retryAfter: 1 },
  listen_ports_exhausted: { status: 503, title: 'No listen_port is free', retryAfter: 3600 },
  position_not_reached: { status: 503, title: 'This instance has not reached that position yet', retryAfter: 1 },
  clock_behind: { status: 503, title: 'The clock of the service is behind', retryAfter: 60 },
  clock_ahead: { status: 503, title: 'The clock of the service is ahead', retryAfter: 60 },
} satisfies Record<FailureCode, CodeFacts> & Record<string, CodeFacts>

export type Code = keyof typeof CODES
export const codes: Readonly<Record<Code, CodeFacts>> = CODES

/** A refusal to send: a failure of the domain or of the transport. */
export type Refusal = Omit<Failure, 'code'> & {
  readonly code: Code
  /** Seconds, if more precise than the table. */
  readonly retryAfter?: number
  /** The state of each part of the service, in a word. */
  readonly parts?: object
}

export const refusal = (code: Code, detail: string): Refusal => ({ code, detail })

export const SESSION_ENDED = refusal('unauthenticated', 'The session has ended. Sign in again.')

/** The log could not be read. If this was for the response to a write, the write may have been recorded. */
export const unreadStore = (method: string): Refusal =>
  method === 'POST'
    ? refusal('outcome_unknown', 'The event store cannot be read. Repeat the request with the same Idempotency-Key.')
    : refusal('unavailable', 'The event store cannot be read. Try again.')

/** A JSON Pointer (RFC 6901) as a URI fragment. */
const pointer = (path: readonly string[]): string =>
  `#${path.map((name) => `/${encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')}`

const located = ({ path, in: where, detail }: Problem): object => {
  const name = path.join('/').toWellFormed()
  switch (where) {
    case 'body':
      return { pointer: pointer(path), detail }
    case 'query':
      return { parameter: name, detail }
    case 'header':
      return { header: name, detail }
  }
}

/** Problems listed in one response. The total is given too. */
const PROBLEMS_MAX = 100

/** The body of an error response (RFC 9457). `instance` is the request id. */
export const problemBody = (refusal: Refusal, instance: string): string => {
  const { code, detail, problems, help, parts } = refusal
  const { status, title } = codes[code]
  const errors = problems?.slice(0, PROBLEMS_MAX).map(located)
  const body = {
    type: `/problems/${code}`,
    title,
    status,
    detail,
    instance,
    code,
    ...(problems && { errors, errors_count: problems.length }),
    ...help,
    ...(parts && { parts }),
  }
  return escapeLineSeparators(JSON.stringify(body))
}

export const isProblemJsonWanted = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes('application/problem+json') ?? false
