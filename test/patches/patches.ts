import { agentPatches } from './agent-patches.ts'
import { clientPatches } from './client-patches.ts'
import { domainPatches } from './domain-patches.ts'
import { reportPatches } from './report-patches.ts'
import { webhookPatches } from './webhook-patches.ts'

/**
 * Faults, each of which a test must notice. They replace one text in one file of the source; `npm run test:long --
 * patches` applies them one by one to a copy and runs the test.
 */
export interface Patch {
  /** What the patched service does wrong. */
  readonly fault: string
  readonly file: string
  /** Is in the file once. */
  readonly from: string
  readonly to: string
  /** A file of tests, relative to `test`, and the title of one that must fail. */
  readonly test: readonly [file: string, title: string]
}

export const patches: readonly Patch[] = [
  ...clientPatches,
  ...domainPatches,
  ...agentPatches,
  ...reportPatches,
  ...webhookPatches,
  {
    fault: 'the expected revision of an append is ignored',
    file: 'src/event-store/sqlite/append.ts',
    from: 'if ((head?.revision ?? NO_STREAM) !== expected) return repeated(append, head)',
    to: '',
    test: [
      'http/races/races.test.ts',
      'one of eight simultaneous requests for a window wins, and the others name it as the conflict',
    ],
  },
  {
    fault: 'a refusal is decided on a cached state',
    file: 'src/commands/loop.ts',
    from: "decided.is === 'over' || (decided.is === 'unrecorded' && isToTheEnd)",
    to: "decided.is === 'over' || decided.is === 'unrecorded'",
    test: [
      'event-store/eventstoredb/commands.test.ts',
      'a refusal, or a command without effect, costs one read and no append',
    ],
  },
  {
    fault: 'an answer does not wait for its sync',
    file: 'src/http/app.ts',
    from: 'if (syncing !== undefined) await syncing',
    to: 'void syncing?.catch(() => undefined)',
    test: ['http/store/synced.test.ts', 'a write is answered once it is durable'],
  },
  {
    fault: 'a retry with another body gets the first answer',
    file: 'src/commands/idempotency-key.ts',
    from: 'mac(secret, request, body)',
    to: "mac(secret, request, '')",
    test: [
      'http/retries/retries.test.ts',
      'a key reused for another request is refused, for another SUT and after a restart too',
    ],
  },
  {
    fault: 'reservations outside a scope are read by their ids',
    file: 'src/http/response/visibility.ts',
    from: 'return E.map((found: Version | undefined) => found !== undefined && isInScope(found))(sut)',
    to: 'return E.map((found: Version | undefined) => found !== undefined)(sut)',
    test: ['http/scopes/scopes.test.ts', 'others’ reservations outside do not exist for it, those inside do'],
  },
  {
    fault: 'credentials of a SUT are not bound to the change that its event names',
    file: 'src/vault/vault.ts',
    from: 'credentials: { id, changed },',
    to: "credentials: { id: id.replace(/^./, '0'), changed },",
    test: ['vault/vault.test.ts', 'sealing returns a random id and the changed fields for the event'],
  },
  {
    fault: 'a page of another site writes',
    file: 'src/http/authentication/cross-site.ts',
    from: 'if (site !== undefined && FOREIGN.includes(String(site).toLowerCase())) return true',
    to: '',
    test: [
      'http/authentication/cross-site.test.ts',
      'over HTTP every cross-site POST is refused, and same-origin POSTs are accepted',
    ],
  },
  {
    fault: 'a role may call every route',
    file: 'src/http/authentication/access.ts',
    from: 'if (!roles.includes(role)) {',
    to: 'if (roles.length === 0) {',
    test: [
      'http/authentication/roles.test.ts',
      'POST /api/sut_reservation/:id/cancel answers each role in each way of signing in as it may',
    ],
  },
  {
    fault: 'a revoked token is accepted',
    file: 'src/users/tokens.ts',
    from: 'const isOver = revoked_at !== null || ',
    to: 'const isOver = ',
    test: ['http/users/tokens.test.ts', 'a revoked token is refused from the next request on'],
  },
  {
    fault: 'a session is accepted after its end',
    file: 'src/users/login-sessions.ts',
    from: '|| expires <= clock() ||',
    to: '||',
    test: [
      'http/logins/sessions.test.ts',
      'a session expires after twelve hours, and is renewed under its id for seven days',
    ],
  },
  {
    fault: 'passwords are guessed without a limit',
    file: 'src/http/authentication/attempts.ts',
    from: 'const OF_NAME_MAX = 10',
    to: 'const OF_NAME_MAX = 1_000',
    test: [
      'http/authentication/throttling.test.ts',
      'after ten failures of an address and name, further attempts are locked out for the minute',
    ],
  },
  {
    fault: 'a write with an outdated ETag is accepted',
    file: 'src/http/codecs/headers.ts',
    from: 'SUT_TAG.exec(tag)?.[1] ?? []).map(Number)',
    to: 'SUT_TAG.exec(tag)?.[1] ?? []).flatMap((text) => [Number(text), Number(text) + 1])',
    test: ['http/protocol/conditional.test.ts', 'update is refused if If-Match names another revision or is malformed'],
  },
  {
    fault: 'a stream repeats the event after which it goes on',
    file: 'src/feed/log-reader.ts',
    from: 'load(userId, nextPosition(position), ',
    to: 'load(userId, toPublicPosition(Math.max(0, position)), ',
    test: [
      'feed/resuming.test.ts',
      'an interrupted store subscription causes no gap or repeat, and the stream continues',
    ],
  },
  {
    fault: 'a page of the feed goes on from where the log ended when it was read',
    file: 'src/feed/feed.ts',
    from: 'return { events, next, caughtUp: isCaughtUp() }',
    to: 'return { events, next: end, caughtUp: isCaughtUp() }',
    test: ['feed/feed.test.ts', '`next` leads through the log, even if a filter leaves a page short or empty'],
  },
  {
    fault: 'a secret opens for another SUT',
    file: 'src/vault/cipher.ts',
    from: 'Buffer.from(canonicalJson([owner, field, id, key_id]))',
    to: "Buffer.from(canonicalJson(['', field, id, key_id]))",
    test: ['vault/vault.test.ts', 'a secret moved to another owner, field, id or key does not open'],
  },
  {
    fault: 'a proof of inclusion has the wrong sides',
    file: 'src/audit/merkle-tree.ts',
    from: ': [...path(index, middle, end), headOf(start, middle)]',
    to: ': [headOf(start, middle), ...path(index, middle, end)]',
    test: ['audit/merkle-tree.test.ts', 'at every size every head and proof matches the definition and is accepted'],
  },
  {
    fault: 'a checkpoint is accepted whoever signed it',
    file: 'src/audit/signed-note.ts',
    from: 'if (own.length === 0) return E.left(',
    to: 'if (own.length === 0) return E.right(text)\n  if (own.length < 0) return E.left(',
    test: ['audit/signed-note.test.ts', 'a checkpoint opens only with the key that signed it'],
  },
  {
    fault: 'a redirected link of a stream is not found',
    file: 'src/audit/verify/verify.ts',
    from: 'if (previous === undefined || expected === undefined || previous === expected) return',
    to: 'return',
    test: [
      'audit/verify/command.test.ts',
      '"verify" finds wrong links and stream heads, which the hashes do not cover',
    ],
  },
  {
    fault: 'anybody reaches a machine that is reserved',
    file: 'src/processes/admission.ts',
    from: "if (!clientPseudonyms.matches(pseudonym, address)) return { admitted: false, reason: 'not_holder' }",
    to: '',
    test: ['processes/admission.test.ts', 'the address of the holder is admitted, another one is not'],
  },
  {
    fault: 'connections go on after the end of their reservation',
    file: 'src/processes/forwarding.ts',
    from: 'boolean => ends <= now || starts > now',
    to: 'boolean => false',
    test: [
      'processes/ports/open-ports.test.ts',
      'at every moment of random histories the open ports are exactly those of running reservations',
    ],
  },
  {
    fault: 'a clock that runs ahead is trusted',
    file: 'src/commands/loop.ts',
    from: 'const decision = guard?.isAhead(now)',
    to: 'const decision = guard?.isAhead(0)',
    test: [
      'http/store/clock.test.ts',
      'after a clock jump of over an hour writes are 503 clock_ahead, and reads and retries work',
    ],
  },
  {
    fault: 'a stream is read backwards',
    file: 'src/event-store/sqlite/read.ts',
    from: 'positions.slice(Math.max(0, end - PAGE_SIZE), end).reverse()',
    to: 'positions.slice(Math.max(0, end - PAGE_SIZE), end)',
    test: [
      'event-store/sqlite/store.test.ts',
      'SQLite: a stream is read in append order, with revisions from 0 without gaps',
    ],
  },
  {
    fault: 'a subscriber misses the first of the newest events',
    file: 'src/event-store/sqlite/tail.ts',
    from: 'const start = storePosition + 1 - first.storePosition',
    to: 'const start = storePosition + 2 - first.storePosition',
    test: [
      'event-store/sqlite/store.test.ts',
      'SQLite: after catching up, a subscription delivers each new event exactly as it is read back',
    ],
  },
  {
    fault: 'an append that is repeated has other ids',
    file: 'src/event-store/eventstoredb/append.ts',
    from: 'client.append(prefix + stream, clientEvents,',
    to: 'client.append(prefix + stream, events.map((event) => toClient({ ...event, id: crypto.randomUUID() })),',
    test: [
      'event-store/eventstoredb/unknown-outcomes.test.ts',
      'an append lost three times is repeated, recorded once and answered with 201',
    ],
  },
  {
    fault: 'on a full disk the outcome is unknown',
    file: 'src/event-store/sqlite/transaction.ts',
    from: "return E.left('full')",
    to: "return E.left('unknown')",
    test: [
      'event-store/sqlite/failures.test.ts',
      'appends to a full file fail, reads continue, and writes resume once there is room',
    ],
  },
  {
    fault: 'a tester with a scope is told of reservations outside it',
    file: 'src/feed/changes/visibility.ts',
    from: 'isOwn || (change.sutId !== undefined && isInScope(sight.now(change.sutId), scope))',
    to: 'isOwn || change.sutId !== undefined',
    test: [
      'feed/changes/visibility.test.ts',
      'with a scope, a tester is told of SUTs in it and of its own reservations only',
    ],
  },
  {
    fault: 'a list as of the past shows what was replaced',
    file: 'src/read-models/lists/page.ts',
    from: "of('until > ? AND +position <= ?')",
    to: "of('until > 0 * ? AND +position <= ?')",
    test: [
      'history/as-of.test.ts',
      'filters, pages and current=true of a list as of a time apply to the state at that time',
    ],
  },
  {
    fault: 'a calendar shows reservations out of scope',
    file: 'src/http/routes/suts/calendars.ts',
    from: 'visibility: visibilityOf(user), ',
    to: '',
    test: [
      'http/routes/calendars.test.ts',
      'filters and scopes leave what the lists leave; one’s own are there without the name of what is out of sight',
    ],
  },
  {
    fault: 'an event of a calendar changes with what changes nothing that is shown',
    file: 'src/read-models/lists/upcoming.ts',
    from: 'count(DISTINCT v.document) - 1',
    to: 'count(*) - 1',
    test: [
      'http/routes/calendars.test.ts',
      'an event says who has what when, and what became of it; it changes only with that',
    ],
  },
  {
    fault: 'the tables of an export have a reservation hold its machine before it was made',
    file: 'src/archive/tables/tables.ts',
    from: 'Date.parse(start_time) < Date.parse(created_at) ? created_at : start_time',
    to: 'start_time',
    test: [
      'guide/analysts.test.ts',
      'hours by week and what was never used are those of the report on usage, in any past',
    ],
  },
]
