import type { Answer } from '../client.ts'

/** Every error code and its status, as documented. */
export const DOCUMENTED: Readonly<Record<string, number>> = {
  malformed_request: 400,
  malformed_json: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_your_reservation: 403,
  cross_site: 403,
  quota_exceeded: 403,
  wrong_password: 403,
  sign_in_failed: 403,
  no_role: 403,
  ticket_invalid: 403,
  not_found: 404,
  sut_not_found: 404,
  reservation_not_found: 404,
  series_not_found: 404,
  user_not_found: 404,
  token_not_found: 404,
  event_not_found: 404,
  oidc_not_configured: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  user_name_taken: 409,
  user_id_taken: 409,
  last_administrator: 409,
  user_not_removed: 409,
  user_erased: 409,
  too_many_tokens: 409,
  no_sut_free: 409,
  not_your_request: 403,
  priority_too_high: 403,
  request_not_found: 404,
  too_many_requests: 409,
  request_granted: 409,
  request_over: 409,
  reservation_conflict: 409,
  sut_inactive: 409,
  sut_reserved: 409,
  reservation_over: 409,
  reservation_not_running: 409,
  not_kept_alive: 409,
  not_vnc: 409,
  not_forwarded: 409,
  idempotency_in_progress: 409,
  sut_retired: 410,
  reservation_cancelled: 410,
  user_removed: 410,
  stale: 412,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  invalid: 422,
  field_unknown: 422,
  field_read_only: 422,
  sut_required: 422,
  sut_ambiguous: 422,
  no_sut_matches: 422,
  window_required: 422,
  window_ambiguous: 422,
  window_empty: 422,
  window_over: 422,
  window_too_long: 422,
  window_too_far: 422,
  window_in_the_past: 422,
  end_not_later: 422,
  series_start_mismatch: 422,
  series_too_long: 422,
  series_too_short: 422,
  series_overlaps: 422,
  end_not_later_than_now: 422,
  end_not_earlier: 422,
  list_too_large: 422,
  idempotency_key_reused: 422,
  upgrade_required: 426,
  too_many_attempts: 429,
  too_many_checks: 429,
  too_many_subscribers: 429,
  internal: 500,
  not_implemented: 501,
  provider_unavailable: 502,
  unavailable: 503,
  gateway_full: 503,
  store_full: 503,
  outcome_unknown: 503,
  listen_ports_exhausted: 503,
  position_not_reached: 503,
  clock_behind: 503,
  clock_ahead: 503,
}

const MEMBERS = ['type', 'title', 'status', 'detail', 'instance', 'code']
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const CHALLENGES = ['Basic realm="berth", charset="UTF-8"', 'Bearer']

const isSentence = (text: unknown): boolean => typeof text === 'string' && /^.{4,}\.$/su.test(text)

const locationFaults = (errors: unknown): readonly string[] => {
  if (!Array.isArray(errors) || errors.length === 0) return ['errors is not a list of problems']
  return errors.flatMap((error: Readonly<Record<string, unknown>>, i) => {
    const [where, ...rest] = Object.keys(error)
    const isLocated = ['pointer', 'parameter', 'header'].includes(where ?? '') && typeof error[where ?? ''] === 'string'
    const isPointer = where !== 'pointer' || /^#(\/[^/\s]*)*$/.test(String(error.pointer))
    const isSaid = rest.join() === 'detail' && typeof error.detail === 'string' && error.detail !== ''
    return isLocated && isPointer && isSaid ? [] : [`errors/${i} is ${JSON.stringify(error)}`]
  })
}

/** The first hundred problems are listed, and errors_count counts all. */
const countFaults = ({ errors, errors_count }: Readonly<Record<string, unknown>>): readonly string[] => {
  const named = (errors as readonly unknown[]).length
  return named === Math.min(100, Number(errors_count)) ? [] : [`${named} of ${errors_count} errors`]
}

const headerFaults = ({ status, headers }: Answer, code: string): readonly string[] => {
  const faults: string[] = []
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  const retries = status === 503 || status === 429 || code === 'idempotency_in_progress'
  expect(retries === /^[1-9]\d*$/.test(headers['retry-after'] ?? ''), `Retry-After is ${headers['retry-after']}`)
  const challenge = headers['www-authenticate']
  const isDue = status === 401 ? CHALLENGES.includes(String(challenge)) : challenge === undefined
  expect(isDue, `WWW-Authenticate is ${challenge}`)
  expect((status === 405) === (headers.allow !== undefined), `Allow is ${headers.allow}`)
  return faults
}

/**
 * Deviations from the documented form of every error: RFC 9457's members and the code, in this order, no others but the
 * helpful ones, the matching headers, and the requested media type.
 */
export const faultsOf = (answer: Answer, mediaType = 'application/json'): readonly string[] => {
  const { status, headers, text } = answer
  let problem: Readonly<Record<string, unknown>>
  try {
    problem = answer.json
  } catch {
    return [`${status} is not JSON: ${JSON.stringify(text.slice(0, 200))}`]
  }
  const code = String(problem.code)
  const faults: string[] = []
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  const more = Object.keys(problem).slice(MEMBERS.length)
  const ofConflicts = ['matching', 'conflicts', 'free_until', 'next_available', 'longest', 'extendable_until']
  const help = ['errors', 'errors_count', ...ofConflicts, 'used', 'quota', 'week', 'cause', 'by', 'parts']
  expect(Object.keys(problem).slice(0, MEMBERS.length).join() === MEMBERS.join(), `members ${Object.keys(problem)}`)
  expect(more.join() === help.filter((name) => more.includes(name)).join(), `further members ${more}`)
  expect(DOCUMENTED[code] === status && problem.status === status, `${status} ${problem.status} ${code}`)
  expect(problem.type === `/problems/${code}`, `type ${problem.type}`)
  expect(typeof problem.title === 'string' && problem.title !== '', `title ${problem.title}`)
  expect(isSentence(problem.detail), `detail ${problem.detail}`)
  expect(UUID_7.test(String(problem.instance)), `instance ${problem.instance}`)
  expect(headers['x-request-id'] === problem.instance, `X-Request-Id ${headers['x-request-id']}`)
  expect(headers['content-type'] === mediaType, `Content-Type ${headers['content-type']}`)
  expect(headers['content-length'] === String(Buffer.byteLength(text)), `Content-Length ${headers['content-length']}`)
  expect((status === 422) <= more.includes('errors'), '422 without errors')
  if (more.includes('errors')) faults.push(...locationFaults(problem.errors), ...countFaults(problem))
  return [...faults, ...headerFaults(answer, code)]
}

/** The status, the code and the places of an error, which most tests compare. */
export const refusalOf = ({ status, json }: Answer): readonly unknown[] => {
  const errors = json.errors as readonly Readonly<Record<string, unknown>>[] | undefined
  return [status, json.code, ...(errors ?? []).map((error) => Object.values(error)[0])]
}
