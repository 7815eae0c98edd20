import { type Answer, type Client, passwordOf } from '../client.ts'
import { idOf } from '../harness.ts'
import { PAGE_SCRIPT } from '../page-script.ts'
import { aReservation, aSeries, aSut, reserve } from '../requests.ts'
import {
  everybody,
  FORBIDDEN,
  HOLDER_ALONE,
  MANAGE,
  MAY,
  NO_PROVIDER,
  NO_WEB_SOCKET,
  OVERSEE,
  OWN_TOKENS,
  READ,
  READ_OF_THEMSELVES,
  READ_THEIR_OWN,
  RESERVE,
  TOKENS,
  WAIT,
} from './askers.ts'
import type { Entry, Things } from './entry.ts'

/** What every role may do with every route: the matrix of behaviour/who-and-running.md. */

const A_DAY = 'from=2030-05-01T00:00:00Z&to=2030-05-02T00:00:00Z'

const get =
  (path: string) =>
  (client: Client, { sut, reservation, series, request, user, event }: Things): Promise<Answer> =>
    client.get(
      path
        .replace('SUT', sut)
        .replace('RESERVATION', reservation)
        .replace('SERIES', series)
        .replace('REQUEST', request)
        .replace('USER', user)
        .replace('EVENT', event),
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
  'POST /api/sut_reservation/:id/shorten': {
    expected: RESERVE,
    ask: (client, { reservation }) =>
      client.post(`/api/sut_reservation/${reservation}/shorten`, { end_time: '2030-05-02T06:15:00Z' }),
  },
  'POST /api/sut_reservation/:id/update': {
    expected: RESERVE,
    ask: (client, { reservation }) => client.request('POST', `/api/sut_reservation/${reservation}/update`),
  },
  'POST /api/sut_reservation/:id/keepalive': {
    expected: RESERVE,
    ask: (client, { reservation }) => client.request('POST', `/api/sut_reservation/${reservation}/keepalive`),
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
  'POST /api/sut_reservation_series/create': {
    expected: RESERVE,
    isFree: true,
    ask: (client, { sut, holder }) =>
      client.post('/api/sut_reservation_series/create', aSeries(sut, { user_id: idOf(holder) })),
  },
  'GET /api/sut_reservation_series': { expected: READ, ask: get('/api/sut_reservation_series') },
  'GET /api/sut_reservation_series/:id': {
    isOfSeries: true,
    expected: READ,
    ask: get('/api/sut_reservation_series/SERIES'),
  },
  'POST /api/sut_reservation_series/:id/cancel': {
    isOfSeries: true,
    expected: RESERVE,
    ask: (client, { series }) => client.request('POST', `/api/sut_reservation_series/${series}/cancel`),
  },
  'GET /api/sut_request': { expected: READ, ask: get('/api/sut_request') },
  'POST /api/sut_request/create': {
    expected: WAIT,
    ask: (client, { sut, holder }) =>
      client.post('/api/sut_request/create', { sut_id: sut, user_id: idOf(holder), duration: 900 }),
  },
  'GET /api/sut_request/:id': { isOfRequest: true, expected: READ, ask: get('/api/sut_request/REQUEST') },
  'POST /api/sut_request/:id/withdraw': {
    isOfRequest: true,
    expected: WAIT,
    ask: (client, { request }) => client.request('POST', `/api/sut_request/${request}/withdraw`),
  },
  'POST /api/sut_request/:id/keepalive': {
    isOfRequest: true,
    expected: WAIT,
    ask: (client, { request }) => client.request('POST', `/api/sut_request/${request}/keepalive`),
  },
  'POST /api/sut/create': { expected: MANAGE, ask: (client) => client.post('/api/sut/create', aSut()) },
  'POST /api/sut/import': { expected: MANAGE, ask: (client) => client.post('/api/sut/import', { suts: [aSut()] }) },
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
  'GET /api/availability': { expected: READ, ask: get('/api/availability') },
  'GET /api/sut/:id/availability': { expected: READ, ask: get('/api/sut/SUT/availability') },
  'GET /api/sut/:id/outages': { expected: READ, ask: get(`/api/sut/SUT/outages?${A_DAY}`) },
  'GET /api/outages': { expected: READ, ask: get(`/api/outages?sut_id=SUT&${A_DAY}`) },
  'GET /api/session': { expected: READ, ask: get('/api/session') },
  'GET /api/events': { expected: OVERSEE, ask: get('/api/events') },
  'GET /api/changes': {
    expected: READ,
    // A stream never ends: only a refusal is read to its end.
    ask: async (client) => {
      const head = await client.request('HEAD', '/api/changes')
      return head.status < 400 ? head : client.get('/api/changes')
    },
  },
  'GET /api/audit/checkpoint': { expected: OVERSEE, ask: get('/api/audit/checkpoint') },
  'GET /api/audit/key': { expected: READ, ask: get('/api/audit/key') },
  'GET /api/audit/leaves': { expected: OVERSEE, ask: get('/api/audit/leaves') },
  'GET /api/audit/inclusion': { expected: OVERSEE, ask: get('/api/audit/inclusion?event=EVENT') },
  'GET /api/audit/consistency': { expected: OVERSEE, ask: get('/api/audit/consistency?from=0') },
  'POST /api/user/create': {
    expected: MANAGE,
    ask: post('/api/user/create', ({ sut }) => ({ name: `who has ${sut}`, role: 'tester' })),
  },
  'POST /api/user/import': {
    expected: MANAGE,
    ask: post('/api/user/import', ({ sut }) => ({ users: [{ name: `who wants ${sut}`, role: 'tester' }] })),
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
  'POST /api/user/:id/logout': { endsSessions: true, expected: MANAGE, ask: post('/api/user/USER/logout') },
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
  'GET /problems/:code': { expected: READ, withoutCredentials: MAY, ask: get('/problems/forbidden') },
  'GET /metrics': { expected: OVERSEE, ask: get('/metrics') },
  'GET /openapi.json': { expected: READ, withoutCredentials: MAY, ask: get('/openapi.json') },
  'GET /asyncapi.json': { expected: READ, withoutCredentials: MAY, ask: get('/asyncapi.json') },
  'GET /schemas/': { expected: READ, withoutCredentials: MAY, ask: get('/schemas/') },
  'GET /schemas/:file': { expected: READ, withoutCredentials: MAY, ask: get('/schemas/SutRetired.1.json') },
  'GET /docs': { expected: READ, withoutCredentials: MAY, ask: get('/docs') },
  'GET /guide': { expected: READ, withoutCredentials: MAY, ask: get('/guide') },
  'GET /guide/:chapter': { expected: READ, withoutCredentials: MAY, ask: get('/guide/reservations') },
  'GET /guide/search.json': { expected: READ, withoutCredentials: MAY, ask: get('/guide/search.json') },
  'GET /guide/schedule.png': { expected: READ, withoutCredentials: MAY, ask: get('/guide/schedule.png') },
  'GET /guide/tour.svg': { expected: READ, withoutCredentials: MAY, ask: get('/guide/tour.svg') },
  'GET /client/berth.mjs': { expected: READ, withoutCredentials: MAY, ask: get('/client/berth.mjs') },
  'GET /docs/swagger-ui.css': { expected: READ, withoutCredentials: MAY, ask: get('/docs/swagger-ui.css') },
  'GET /docs/swagger-ui-bundle.js': { expected: READ, withoutCredentials: MAY, ask: get('/docs/swagger-ui-bundle.js') },
  'GET /': { expected: READ, withoutCredentials: MAY, ask: get('/') },
  'GET /login/callback': { expected: READ, withoutCredentials: MAY, ask: get('/login/callback?code=a&state=b&iss=c') },
  'GET /web/:digest/:name': { expected: READ, withoutCredentials: MAY, ask: get(PAGE_SCRIPT) },
  'GET /health/live': { expected: READ, withoutCredentials: MAY, ask: get('/health/live') },
  'GET /health/ready': { expected: READ, withoutCredentials: MAY, ask: get('/health/ready') },
}
