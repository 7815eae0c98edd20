import * as E from 'fp-ts/lib/Either.js'
import { type Code, codes, refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'

/** What to do about each refusal; shown on the page that its `type` links to. */
const remedies: Readonly<Record<Code, string>> = {
  malformed_request: 'The bytes that arrived are not a request of HTTP/1.1. Look at what sends them.',
  malformed_json: 'Send a JSON object in UTF-8. The detail says at which character reading stopped.',
  unauthenticated: 'Send the name and password of a user in an Authorization header of the Basic scheme (RFC 7617).',
  forbidden: 'Ask an administrator, or use credentials whose role may.',
  not_your_reservation: 'A tester reserves for its own user_id only, and changes only its own reservations.',
  cross_site: 'A page of another site sent this. Use Berth from its own address, or from a program.',
  not_found: 'Look at the path: addresses are exact, in case and slashes too.',
  sut_not_found: 'Look at the id. A SUT that was retired can still be read, so this one never was.',
  reservation_not_found: 'Look at the id. One that was cancelled would say so, so this one never was.',
  user_not_found: 'Look at the user_id; an administrator or auditor sees all of them at /api/user.',
  event_not_found: 'Look at the id: it is that of an event, as histories and the feed tell it.',
  method_not_allowed: 'The Allow header has the methods that this address takes.',
  not_acceptable: 'Accept application/json, or leave the header out.',
  request_timeout: 'Send head and body without long pauses.',
  reservation_conflict:
    'Choose another window: next_available is the first free one of this length, conflicts says what stands in the way. For an extension, extendable_until is the latest possible end.',
  sut_inactive: 'Wait until the SUT is active again, or ask an administrator.',
  sut_reserved: 'Cancel the reservations in conflicts, or wait until they are over.',
  reservation_over: 'Make a new reservation.',
  idempotency_in_progress: 'Send the same request with the same key again in a moment.',
  sut_retired: 'Use another SUT. This one can be read, for ever.',
  reservation_cancelled: 'Make a new reservation. The history of this one stands.',
  stale: 'Read the SUT again, and send the change with the new ETag in If-Match.',
  body_too_large: 'Nothing that Berth takes needs so large a body.',
  uri_too_long: 'Shorten the address.',
  unsupported_media_type: 'Send Content-Type: application/json, and the body as it is, without a Content-Encoding.',
  invalid: 'errors names every field, parameter or header that is wrong, and what it must be.',
  field_unknown: 'errors names the fields; look at their spelling.',
  field_read_only: 'errors names the fields; leave them out: the service assigns them.',
  window_required: 'Send start_time and end_time, or start_in and duration; for an extension end_time or duration.',
  window_ambiguous: 'Send one form of window only.',
  window_empty: 'The end must be later than the start.',
  window_over: 'The end must be later than now.',
  window_too_long: 'Ask for less: detail says how long a window may be.',
  window_too_far: 'Start earlier: detail says how far ahead a window may start.',
  window_in_the_past: 'Start in the current quarter-hour at the earliest; detail says when it began.',
  end_not_later: 'To end early, cancel: a running reservation is then released.',
  idempotency_key_reused: 'Make a new key for every new request, and repeat it only with the same request.',
  headers_too_large: 'Send fewer or shorter header fields.',
  too_many_attempts: 'Too many credentials were wrong. Wait for as long as Retry-After says.',
  too_many_subscribers: 'End a stream of events that is no longer needed, or use one for several purposes.',
  internal: 'This is a fault of the service. Its log has it under the id in instance.',
  not_implemented: 'Send the body with a Content-Length, or in chunks, and in no other Transfer-Encoding.',
  unavailable: 'What was asked for was not recorded. Try again after a moment.',
  store_full: 'What was asked for was not recorded. An administrator has to make room on the disk; reads go on.',
  outcome_unknown: 'Repeat the request with the same Idempotency-Key, or read whether it was recorded.',
  listen_ports_exhausted: 'Retire SUTs, or widen BERTH_LISTEN_PORTS.',
  position_not_reached: 'This instance lags behind. Try again, or ask the one that gave the position.',
  clock_behind: "Set the clock of the service's machine: it is behind what has been recorded already.",
  clock_ahead:
    'The clock of the service has gained more than an hour, or is far past the last event of the log. An administrator sets it, or confirms it with: berth clock confirm.',
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
  if (!isCode(code)) return E.left(refusal('not_found', 'There is no refusal of this name.'))
  return E.right({ status: 200, body: page(code) })
}
