import { type Answer, type Client, passwordOf } from '../client.ts'
import { idOf } from '../harness.ts'
import { aReservation, aSut, reserve } from '../requests.ts'

/** What every role may do with every route: the matrix of behaviour/who-and-running.md. */

/** Who sends the request, and who holds the reservation or is the user it is about. alice and bob are testers. */
const UNSCOPED = {
  'an administrator (own reservation)': ['admin', 'admin'],
  'an administrator (another’s reservation)': ['admin', 'alice'],
  'a tester (own reservation)': ['alice', 'alice'],
  'a tester (another’s reservation)': ['alice', 'bob'],
  'an auditor (own reservation)': ['audrey', 'audrey'],
  'an auditor (another’s reservation)': ['audrey', 'alice'],
} as const
export type Asker = keyof typeof UNSCOPED

export const SCOPE = { text: 'team=qa1', tags: { team: 'qa1' } } as const

/** scott is a tester whose scope has the SUT of the request, or has not. hugo holds reservations outside only. */
const SCOPED = {
  'a tester with a scope (own reservation)': ['scott', 'scott'],
  'a tester with a scope (another’s reservation)': ['scott', 'alice'],
  'a tester with a scope (another’s reservation outside)': ['scott', 'hugo'],
} as const
export type ScopedAsker = keyof typeof SCOPED

export const ASKERS: Readonly<Record<Asker | ScopedAsker, readonly [name: string, holder: string]>> = {
  ...UNSCOPED,
  ...SCOPED,
}

export const MAY = 'allowed'
export const FORBIDDEN = [403, 'forbidden']
export const NOT_THEIR_OWN = [403, 'not_your_reservation']
/** Of those who may have a console. No reservation of this test has started. */
const NOT_RUNNING = [409, 'reservation_not_running']
/** The service of this test has no single sign-on. */
const NO_PROVIDER = [404, 'oidc_not_configured']
const NO_WEB_SOCKET = [426, 'upgrade_required']
export type Expected = typeof MAY | readonly unknown[]

const everybody = (expected: Expected): Record<Asker, Expected> => ({
  'an administrator (own reservation)': expected,
  'an administrator (another’s reservation)': expected,
  'a tester (own reservation)': expected,
  'a tester (another’s reservation)': expected,
  'an auditor (own reservation)': expected,
  'an auditor (another’s reservation)': expected,
})
const auditors = (expected: Expected) => ({
  'an auditor (own reservation)': expected,
  'an auditor (another’s reservation)': expected,
})

/** "The holder alone: administrators too get 403". */
const HOLDER_ALONE = {
  ...everybody(NOT_RUNNING),
  'an administrator (another’s reservation)': NOT_THEIR_OWN,
  'a tester (another’s reservation)': NOT_THEIR_OWN,
  ...auditors(FORBIDDEN),
}

/** "auditor: read everything; tester: read SUTs and reservations" */
const READ = everybody(MAY)
/** "reserve for its own user_id only (403 otherwise); cancel and extend its own"; an auditor may "write nothing" */
const RESERVE = { ...READ, 'a tester (another’s reservation)': NOT_THEIR_OWN, ...auditors(FORBIDDEN) }
/** "administrator: everything", which the others are not said to do */
const MANAGE = {
  ...everybody(FORBIDDEN),
  'an administrator (own reservation)': MAY,
  'an administrator (another’s reservation)': MAY,
} as const
/** "tester: ... its own, read their history; auditor: ... histories" */
const READ_THEIR_OWN = { ...READ, 'a tester (another’s reservation)': NOT_THEIR_OWN }
/** "(administrators, auditors, oneself)", of the history of a user */
const READ_OF_THEMSELVES = { ...READ, 'a tester (another’s reservation)': FORBIDDEN }
/** "(administrators: ...)": everybody's own, and as an administrator those of others */
const TOKENS = { ...READ_OF_THEMSELVES, 'an auditor (another’s reservation)': FORBIDDEN }
const OWN_TOKENS = {
  'an administrator (another’s reservation)': FORBIDDEN,
  'a tester (another’s reservation)': FORBIDDEN,
  'an auditor (another’s reservation)': FORBIDDEN,
} as const
/** "(administrators, auditors)", as it is said of metrics */
const OVERSEE = { ...MANAGE, ...auditors(MAY) }

/** The SUT of a request, the reservation on it, and users. */
export interface Things {
  readonly sut: string
  readonly reservation: string
  readonly holder: string
  readonly asker: string
  /** The id of the user that a request is about. */
  readonly user: string
  /** The id of a token of that user. */
  readonly token: string
  /** The id of some event. */
  readonly event: string
}

export interface Entry {
  readonly expected: Readonly<Record<Asker, Expected>>
  /** "Nothing but health checks answers without credentials", and consoles have tickets. */
  readonly withoutCredentials?: Expected
  /** The SUT must have no reservation for this to succeed. */
  readonly isFree?: true
  /** It is about a token of the user. */
  readonly isOfToken?: true
  /** Whoever succeeds must sign in again. */
  readonly endsSessions?: true
  /** What succeeds is about a new user: the others are still needed. */
  readonly newUser?: 'present' | 'removed'
  /** "Tokens manage neither passwords nor other users' tokens": what they are answered in place of `expected`. */
  readonly withToken?: Readonly<Partial<Record<Asker, Expected>>>
  /** Only a session can be renewed. */
  readonly withSession?: Readonly<Partial<Record<Asker, Expected>>>
  readonly ask: (client: Client, things: Things) => Promise<Answer>
}

const get =
  (path: string) =>
  (client: Client, { sut, reservation, user, event }: Things): Promise<Answer> =>
    client.get(
      path.replace('SUT', sut).replace('RESERVATION', reservation).replace('USER', user).replace('EVENT', event),
    )

/** A request about a user. */
const post =
  (path: string, bodyOf: (things: Things) => object = () => ({})) =>
  (client: Client, things: Things): Promise<Answer> =>
    client.post(path.replace('USER', things.user), bodyOf(things))

export const TABLE: Readonly<Record<string, Entry>> = {
  'POST /api/sut_reservation/create': {
    expected: RESERVE,
    isFree: true,
    ask: (client, { sut, holder }) => reserve(client, aReservation(sut, { user_id: idOf(holder) })),
  },
  'POST /api/sut_reservation/:id/cancel': {
    expected: RESERVE,
    ask: (client, { reservation }) => client.request('POST', `/api/sut_reservation/${reservation}/cancel`),
  },
  'POST /api/sut_reservation/:id/extend': {
    expected: RESERVE,
    ask: (client, { reservation }) => client.post(`/api/sut_reservation/${reservation}/extend`, { duration: 1800 }),
  },
  'POST /api/sut_reservation/:id/update': {
    expected: RESERVE,
    ask: (client, { reservation }) => client.request('POST', `/api/sut_reservation/${reservation}/update`),
  },
  'GET /api/sut_reservation/:id/connection': {
    expected: RESERVE,
    ask: get('/api/sut_reservation/RESERVATION/connection'),
  },
  'POST /api/sut_reservation/:id/console': {
    expected: HOLDER_ALONE,
    ask: (client, { reservation }) => client.request('POST', `/api/sut_reservation/${reservation}/console`),
  },
  'GET /api/console/:ticket': {
    expected: everybody(NO_WEB_SOCKET),
    withoutCredentials: NO_WEB_SOCKET,
    ask: get('/api/console/ticket'),
  },
  'GET /api/sut_reservation': { expected: READ, ask: get('/api/sut_reservation') },
  'GET /api/sut_reservation/:id': { expected: READ, ask: get('/api/sut_reservation/RESERVATION') },
  'POST /api/sut/create': { expected: MANAGE, ask: (client) => client.post('/api/sut/create', aSut()) },
  'POST /api/sut/:id/update': {
    expected: MANAGE,
    ask: (client, { sut }) => client.post(`/api/sut/${sut}/update`, { os: 'linux' }),
  },
  'POST /api/sut/:id/monitoring': {
    expected: MANAGE,
    ask: (client, { sut }) => client.post(`/api/sut/${sut}/monitoring`, { enabled: true }),
  },
  'POST /api/sut/:id/check': {
    expected: MANAGE,
    ask: (client, { sut }) => client.post(`/api/sut/${sut}/check`, {}),
  },
  'POST /api/sut/:id/tags': {
    expected: MANAGE,
    ask: (client, { sut }) => client.post(`/api/sut/${sut}/tags`, { a: '1' }),
  },
  'POST /api/sut/:id/retire': {
    expected: MANAGE,
    isFree: true,
    ask: (client, { sut }) => client.request('POST', `/api/sut/${sut}/retire`),
  },
  'GET /api/sut': { expected: READ, ask: get('/api/sut') },
  'GET /api/sut/:id': { expected: READ, ask: get('/api/sut/SUT') },
  'GET /api/sut_reservation/:id/history': {
    expected: READ_THEIR_OWN,
    ask: get('/api/sut_reservation/RESERVATION/history'),
  },
  'GET /api/sut/:id/history': { expected: OVERSEE, ask: get('/api/sut/SUT/history') },
  'GET /api/sut/:id/availability': { expected: READ, ask: get('/api/sut/SUT/availability') },
  'GET /api/session': { expected: READ, ask: get('/api/session') },
  'GET /api/events': { expected: OVERSEE, ask: get('/api/events') },
  'GET /api/audit/checkpoint': { expected: OVERSEE, ask: get('/api/audit/checkpoint') },
  'GET /api/audit/inclusion': { expected: OVERSEE, ask: get('/api/audit/inclusion?event=EVENT') },
  'GET /api/audit/consistency': { expected: OVERSEE, ask: get('/api/audit/consistency?from=0') },
  'POST /api/user/create': {
    expected: MANAGE,
    ask: post('/api/user/create', ({ sut }) => ({ name: `who has ${sut}`, role: 'tester' })),
  },
  'POST /api/user/:id/update': {
    expected: MANAGE,
    ask: post('/api/user/USER/update', ({ holder }) => ({ role: holder === 'admin' ? 'administrator' : 'tester' })),
  },
  'POST /api/user/:id/password': {
    endsSessions: true,
    expected: MANAGE,
    withToken: everybody(FORBIDDEN),
    ask: post('/api/user/USER/password', ({ holder }) => ({ password: passwordOf(holder) })),
  },
  'POST /api/user/me/password': {
    endsSessions: true,
    expected: everybody(MAY),
    withToken: everybody(FORBIDDEN),
    ask: post('/api/user/me/password', ({ asker }) => ({
      old_password: passwordOf(asker),
      password: passwordOf(asker),
    })),
  },
  'POST /api/user/:id/remove': {
    expected: MANAGE,
    newUser: 'present',
    ask: post('/api/user/USER/remove', () => ({ reservations: 'cancel' })),
  },
  'POST /api/user/:id/restore': { expected: MANAGE, newUser: 'removed', ask: post('/api/user/USER/restore') },
  'POST /api/user/:id/erase': { expected: MANAGE, newUser: 'removed', ask: post('/api/user/USER/erase') },
  'POST /api/user/:id/token': {
    expected: TOKENS,
    withToken: OWN_TOKENS,
    ask: post('/api/user/USER/token', () => ({ name: 'ci' })),
  },
  'GET /api/user/:id/token': { expected: TOKENS, withToken: OWN_TOKENS, ask: get('/api/user/USER/token') },
  'POST /api/user/:id/token/:token/revoke': {
    isOfToken: true,
    expected: TOKENS,
    withToken: OWN_TOKENS,
    ask: (client, { user, token }) => client.post(`/api/user/${user}/token/${token}/revoke`, {}),
  },
  'POST /api/login': {
    expected: READ,
    withoutCredentials: MAY,
    ask: post('/api/login', ({ asker }) => ({ name: asker, password: passwordOf(asker) })),
  },
  'POST /api/login/oidc/start': {
    expected: everybody(NO_PROVIDER),
    withoutCredentials: NO_PROVIDER,
    ask: post('/api/login/oidc/start'),
  },
  'POST /api/login/oidc/finish': {
    expected: everybody(NO_PROVIDER),
    withoutCredentials: NO_PROVIDER,
    ask: post('/api/login/oidc/finish', () => ({ code: 'c', state: 's', transaction: 't' })),
  },
  // Everybody asks with a password.
  'POST /api/login/renew': {
    expected: everybody(FORBIDDEN),
    withSession: everybody(MAY),
    ask: post('/api/login/renew'),
  },
  'POST /api/logout': {
    expected: READ,
    withToken: everybody(FORBIDDEN),
    endsSessions: true,
    ask: post('/api/logout', () => ({ everywhere: true })),
  },
  'GET /api/user': { expected: READ, ask: get('/api/user') },
  'GET /api/user/me': { expected: READ, ask: get('/api/user/me') },
  'GET /api/user/:id': { expected: READ, ask: get('/api/user/USER') },
  'GET /api/user/:id/history': { expected: READ_OF_THEMSELVES, ask: get('/api/user/USER/history') },
  'GET /problems/:code': { expected: READ, ask: get('/problems/forbidden') },
  'GET /metrics': { expected: OVERSEE, ask: get('/metrics') },
  'GET /openapi.json': { expected: READ, ask: get('/openapi.json') },
  'GET /asyncapi.json': { expected: READ, ask: get('/asyncapi.json') },
  'GET /schemas/': { expected: READ, ask: get('/schemas/') },
  'GET /schemas/:file': { expected: READ, ask: get('/schemas/SutCreated.1.json') },
  'GET /docs': { expected: READ, ask: get('/docs') },
  'GET /docs/page.css': { expected: READ, ask: get('/docs/page.css') },
  'GET /docs/page.js': { expected: READ, ask: get('/docs/page.js') },
  'GET /guide': { expected: READ, ask: get('/guide') },
  'GET /guide/:chapter': { expected: READ, ask: get('/guide/reservations') },
  'GET /guide/page.css': { expected: READ, ask: get('/guide/page.css') },
  'GET /guide/tour.svg': { expected: READ, ask: get('/guide/tour.svg') },
  'GET /docs/swagger-ui.css': { expected: READ, ask: get('/docs/swagger-ui.css') },
  'GET /docs/swagger-ui-bundle.js': { expected: READ, ask: get('/docs/swagger-ui-bundle.js') },
  'GET /': { expected: READ, withoutCredentials: MAY, ask: get('/') },
  'GET /login/callback': { expected: READ, withoutCredentials: MAY, ask: get('/login/callback?code=a&state=b&iss=c') },
  'GET /web/page.js': { expected: READ, withoutCredentials: MAY, ask: get('/web/page.js') },
  'GET /web/page.css': { expected: READ, withoutCredentials: MAY, ask: get('/web/page.css') },
  'GET /health/live': { expected: READ, withoutCredentials: MAY, ask: get('/health/live') },
  'GET /health/ready': { expected: READ, withoutCredentials: MAY, ask: get('/health/ready') },
}
