import { type CodeFacts, type Failure, failureCodes, type Problem } from '../../domain/failure.ts'
import { escapeLineSeparators } from '../../domain/values/text.ts'

/** Every refusal: those of the transport, and those of the domain. */
const CODES = {
  malformed_request: { status: 400, title: 'Malformed HTTP request' },
  malformed_json: { status: 400, title: 'Malformed JSON body' },
  unauthenticated: { status: 401, title: 'Authentication is required' },
  cross_site: { status: 403, title: 'Cross-site requests are not allowed' },
  ticket_invalid: { status: 403, title: 'The ticket is not valid' },
  sign_in_failed: { status: 403, title: 'The sign-in failed' },
  no_role: { status: 403, title: 'The provider gives no role' },
  not_found: { status: 404, title: 'Not found' },
  oidc_not_configured: { status: 404, title: 'There is no single sign-on' },
  event_not_found: { status: 404, title: 'Event not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  not_acceptable: { status: 406, title: 'No acceptable media type' },
  body_too_large: { status: 413, title: 'The body is too large' },
  uri_too_long: { status: 414, title: 'The address is too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  upgrade_required: { status: 426, title: 'This address takes WebSocket connections only' },
  too_many_attempts: { status: 429, title: 'Too many failed login attempts' },
  too_many_checks: { status: 429, title: 'The SUT was checked within the last second', retryAfter: 1 },
  too_many_subscribers: { status: 429, title: 'The user has too many event streams', retryAfter: 10 },
  internal: { status: 500, title: 'Internal error' },
  not_implemented: { status: 501, title: 'Transfer coding not supported' },
  provider_unavailable: { status: 502, title: 'The provider of single sign-on is unavailable', retryAfter: 5 },
  gateway_full: { status: 503, title: 'The gateway has no room for another connection', retryAfter: 5 },
  ...failureCodes,
} satisfies Record<string, CodeFacts>

export type Code = keyof typeof CODES
/** By status, as documents list them. */
export const codes = Object.fromEntries(Object.entries(CODES).sort(([, a], [, b]) => a.status - b.status)) as Readonly<
  Record<Code, CodeFacts>
>

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
