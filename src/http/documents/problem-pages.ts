import * as E from 'fp-ts/lib/Either.js'
import { type Code, codes, refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'

/** What to do about each refusal; shown on the page that its `type` links to. */
const remedies: Readonly<Record<Code, string>> = {
  malformed_request: 'The bytes received are not a valid HTTP/1.1 request. Check the client.',
  malformed_json: 'Send a JSON object in UTF-8. The detail gives the character at which parsing failed.',
  unauthenticated:
    'Send a user name and password with Basic authentication (RFC 7617), or a token with Bearer (RFC 6750).',
  forbidden: 'Ask an administrator, or use credentials with a sufficient role.',
  not_your_reservation: 'Testers can create reservations only for their own user_id, and change only their own.',
  quota_exceeded:
    'Cancel or release reservations, or choose another week. used is what the user has reserved, quota what it may; week is null if there are too many reservations. Administrators can change the quota, or send beyond_quota.',
  wrong_password: 'Send the password with which you sign in as old_password.',
  sign_in_failed: 'Begin the sign-in again. The log of the service says what was wrong, under the id of the request.',
  no_role: 'The provider of single sign-on must give you one of the values in BERTH_OIDC_ROLES.',
  cross_site: 'A page of another site sent this request. Call Berth from its own origin, or from a program.',
  ticket_invalid:
    'Get a new ticket from POST /api/sut_reservation/<id>/console. A ticket is valid for 30 seconds and for one connection.',
  not_found: 'Check the path. It must match exactly, including case and slashes.',
  oidc_not_configured: 'Sign in with POST /api/login. Single sign-on needs the variables BERTH_OIDC_...',
  sut_not_found:
    'Check the id. Retired SUTs can still be read, so this SUT never existed, or it is outside the scope of your user.',
  reservation_not_found:
    'Check the id. Cancelled reservations are reported as cancelled, so this one never existed, or its SUT is outside the scope of your user.',
  user_not_found:
    'Check the id. Everyone can list users at /api/user; removed=true shows removed ones too. A user with a scope sees only those who hold SUTs in it.',
  user_name_taken: 'Choose another name. Users that have not been removed have different names, whatever their case.',
  user_id_taken: 'Omit the _id, so that the service assigns one. The id of a removed user stays taken.',
  last_administrator: 'Make another user an administrator first.',
  user_not_removed: 'Remove the user first. Only removed users can be restored or erased.',
  user_erased: 'Create a new user. An erased user cannot be restored.',
  user_removed: 'Restore the user first, or use another one.',
  token_not_found: 'Check the id. List the tokens of the user; revoked ones are not among them.',
  too_many_tokens: 'Revoke tokens that are no longer used.',
  event_not_found: 'Check the id. It must be the id of an event in a history or the feed.',
  method_not_allowed: 'The Allow header lists the methods of this address.',
  not_acceptable: 'Accept application/json, or omit the Accept header.',
  request_timeout: 'Send the header and the body without long pauses.',
  reservation_conflict:
    'Choose another window. next_available is the first free window of this length, and conflicts lists the reservations in the way. For an extension, extendable_until is the latest possible end.',
  sut_inactive: 'Wait until the SUT is active again, or ask an administrator.',
  sut_reserved: 'Cancel the reservations listed in conflicts, or wait until they are over.',
  reservation_over: 'Create a new reservation.',
  reservation_not_running: 'Wait for its start_time.',
  not_vnc: 'Use the listen_port with a client for this type of SUT. Only SUTs of type vnc have a console.',
  not_forwarded: 'Call the instance of Berth that forwards this SUT. If the reservation has just started, try again.',
  idempotency_in_progress: 'Retry with the same key in a moment.',
  sut_retired: 'Use another SUT. A retired SUT can only be read.',
  reservation_cancelled: 'Create a new reservation. The history of the cancelled one remains available.',
  stale: 'Read the object again and retry with its new ETag in If-Match.',
  body_too_large: 'No valid request needs so large a body.',
  uri_too_long: 'Shorten the address.',
  unsupported_media_type: 'Send Content-Type: application/json and no Content-Encoding.',
  invalid: 'errors lists every invalid field, parameter and header with the reason.',
  field_unknown: 'errors lists the fields. Check their spelling.',
  field_read_only: 'errors lists the fields. Omit them; the service assigns their values.',
  window_required:
    'Send start_time and end_time, or start_in and duration. For an extension send end_time or duration.',
  window_ambiguous: 'Describe the window in only one way.',
  window_empty: 'The end must be later than the start.',
  window_over: 'The end must be later than now.',
  window_too_long: 'Request a shorter window. The detail gives the maximum.',
  window_too_far: 'Start earlier. The detail gives the latest possible start.',
  window_in_the_past: 'Start in the current quarter-hour or later. The detail says when it began.',
  end_not_later: 'To end a reservation early, cancel it. A running reservation is then released.',
  idempotency_key_reused: 'Use a new key for every new request, and reuse it only to retry that request.',
  upgrade_required: 'Open the address as a WebSocket: version 13, with Upgrade: websocket.',
  headers_too_large: 'Send fewer or shorter header fields.',
  too_many_attempts: 'Wait for the number of seconds in Retry-After, then log in with the right password.',
  too_many_checks: 'Check the SUT again after a second. A monitored SUT is probed anyway.',
  too_many_subscribers: 'Close event streams that are no longer needed, or share one.',
  internal: 'This is a fault of the service. Its log has the cause under the id in instance.',
  not_implemented: 'Send the body with a Content-Length or chunked; no other Transfer-Encoding is supported.',
  provider_unavailable: 'Try again. The log of the service says why. Names with passwords, and tokens, work meanwhile.',
  unavailable: 'Nothing was recorded. Try again in a moment.',
  gateway_full: 'Close connections to the SUT that are no longer needed, or try again later.',
  store_full: 'Nothing was recorded. An administrator must free disk space. Reads still work.',
  outcome_unknown: 'Repeat the request with the same Idempotency-Key, or check whether it was recorded.',
  listen_ports_exhausted: 'Retire unused SUTs, or extend BERTH_LISTEN_PORTS.',
  position_not_reached: 'This instance lags behind. Try again, or call the instance that returned the position.',
  clock_behind: "Correct the clock of the service's machine. It is behind events that are already recorded.",
  clock_ahead:
    'The clock of the service jumped ahead by more than an hour, or is far past the last event of the log. An administrator must correct it, or confirm it with: berth clock confirm.',
}

const isCode = (text: string): text is Code => Object.hasOwn(codes, text)

const page = (code: Code): string => {
  const { status, title } = codes[code]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${code}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/guide/page.css">
<main>
<h1>${title}</h1>
<p><code>${status}</code> <code>${code}</code></p>
<p>${remedies[code].replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>
<p><a href="/guide/errors#codes">All errors</a> in <a href="/guide">the guide</a></p>
</main>
</html>
`
}

/** The page about a refusal. */
export const problemPage = async ({ params }: Call): RouteResult => {
  const code = params.code ?? ''
  if (!isCode(code)) return E.left(refusal('not_found', 'No problem has this code.'))
  return E.right({ status: 200, body: page(code) })
}
