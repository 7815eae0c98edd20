import test from 'ava'
import { type Handlers, routes } from '../../../src/http/routes.ts'
import type { Answer, Client } from '../client.ts'
import { idOf, type Running, start, tidyingLater } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, REFUSING, reserve, reserved } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'
import '../documents/fit-answers.ts'

/** Shows behaviour/who-and-running.md: every route, every role, own and others' reservations, and no credentials. */

/** A stub for all handlers: only the route definitions are used. */
const nothing = (): unknown => new Proxy(() => undefined, { get: nothing })

const page: readonly string[] = routes(nothing() as Handlers).map(({ method, path }) => `${method} ${path}`)

/** Who sends the request, and who holds the reservation. alice and bob are testers. */
const ASKERS = {
  'an administrator (own reservation)': ['admin', 'admin'],
  'an administrator (another’s reservation)': ['admin', 'alice'],
  'a tester (own reservation)': ['alice', 'alice'],
  'a tester (another’s reservation)': ['alice', 'bob'],
  'an auditor (own reservation)': ['audrey', 'audrey'],
  'an auditor (another’s reservation)': ['audrey', 'alice'],
} as const
type Asker = keyof typeof ASKERS

const MAY = 'allowed'
const FORBIDDEN = [403, 'forbidden']
const NOT_THEIR_OWN = [403, 'not_your_reservation']
/** Of those who may have a console. No reservation of this test has started. */
const NOT_RUNNING = [409, 'reservation_not_running']
const NO_WEB_SOCKET = [426, 'upgrade_required']
type Expected = typeof MAY | readonly unknown[]

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
/** "(administrators, auditors)", as it is said of users and metrics */
const OVERSEE = { ...MANAGE, ...auditors(MAY) }

/** The SUT of a request, and the reservation on it. */
interface Things {
  readonly sut: string
  readonly reservation: string
  readonly holder: string
}

interface Entry {
  readonly expected: Readonly<Record<Asker, Expected>>
  /** "Nothing but health checks answers without credentials", and consoles have tickets. */
  readonly withoutCredentials?: Expected
  /** The SUT must have no reservation for this to succeed. */
  readonly isFree?: true
  readonly ask: (client: Client, things: Things) => Promise<Answer>
}

const get =
  (path: string) =>
  (client: Client, { sut, reservation }: Things): Promise<Answer> =>
    client.get(path.replace('SUT', sut).replace('RESERVATION', reservation))

const TABLE: Readonly<Record<string, Entry>> = {
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
  'GET /api/audit/inclusion': { expected: OVERSEE, ask: async (client) => client.get(await aProof()) },
  'GET /api/audit/consistency': { expected: OVERSEE, ask: get('/api/audit/consistency?from=0') },
  'GET /api/user': { expected: OVERSEE, ask: get('/api/user') },
  'GET /api/user/me': { expected: READ, ask: get('/api/user/me') },
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
  'GET /health/live': { expected: READ, withoutCredentials: MAY, ask: get('/health/live') },
  'GET /health/ready': { expected: READ, withoutCredentials: MAY, ask: get('/health/ready') },
}

const later = tidyingLater()
let service: Running

const firstEvent = async (): Promise<string> => {
  const { json } = await service.as('admin').get('/api/events?limit=1')
  return (json.events as readonly { id: string }[])[0]?.id ?? ''
}

/** The address of an inclusion proof of some event. */
const aProof = async (): Promise<string> => `/api/audit/inclusion?event=${await firstEvent()}`

test.before(async () => {
  service = await start(later, { now: NOW })
})
test.after.always(later.tidy)

const thingsOf = async (holder: string, isFree: boolean): Promise<Things> => {
  const admin = service.as('admin')
  const sut = await createSut(admin, REFUSING)
  if (isFree) return { sut, holder, reservation: '' }
  const made = await reserved(admin, aReservation(sut, { user_id: idOf(holder) }))
  return { sut, holder, reservation: String(made.json._id) }
}

test('every route has an entry in the table of this test, and every entry a route', (t) => {
  t.deepEqual(Object.keys(TABLE).toSorted(), page.toSorted())
})

for (const route of page) {
  for (const [asker, [name, holder]] of Object.entries(ASKERS)) {
    const expected = TABLE[route]?.expected[asker as Asker]
    test.serial(`${route} by ${asker}: ${expected === MAY ? expected : expected?.join(' ')}`, async (t) => {
      const entry = TABLE[route]
      if (entry === undefined || expected === undefined) throw new Error('the table has no entry for this route')
      const things = await thingsOf(holder, entry.isFree ?? false)
      const recorded = (await logOf(service)).length
      const answer = await entry.ask(service.as(name), things)
      if (expected === MAY) t.true(answer.status === 200 || answer.status === 201, answer.text)
      else {
        t.deepEqual(refusalOf(answer), expected)
        t.deepEqual(faultsOf(answer), [])
        t.is((await logOf(service)).length, recorded)
      }
    })
  }

  const expectedOfAnyone = TABLE[route]?.withoutCredentials ?? [401, 'unauthenticated']
  test.serial(`${route} without credentials: ${expectedOfAnyone === MAY ? MAY : expectedOfAnyone[0]}`, async (t) => {
    const entry = TABLE[route]
    if (entry === undefined) throw new Error('the table has no entry for this route')
    const things = await thingsOf('alice', entry.isFree ?? false)
    const recorded = (await logOf(service)).length
    const answer = await entry.ask(service.anyone, things)
    if (expectedOfAnyone === MAY) t.is(answer.status, 200)
    else {
      t.deepEqual(refusalOf(answer), expectedOfAnyone)
      t.deepEqual(faultsOf(answer), [])
      t.is((await logOf(service)).length, recorded)
    }
  })
}

test('an unknown path is 404 with credentials and 401 without', async (t) => {
  for (const path of ['/', '/api', '/api/none', '/metrics/', '/health']) {
    for (const name of ['admin', 'alice', 'audrey']) {
      t.deepEqual(refusalOf(await service.as(name).get(path)), [404, 'not_found'], path)
    }
    t.deepEqual(refusalOf(await service.anyone.get(path)), [401, 'unauthenticated'], path)
  }
})

test('a refused tester does not learn whether another’s reservation is cancelled', async (t) => {
  const { reservation } = await thingsOf('alice', false)
  const path = `/api/sut_reservation/${reservation}`
  await service.as('alice').request('POST', `${path}/cancel`)
  t.deepEqual(refusalOf(await service.as('bob').request('POST', `${path}/cancel`)), NOT_THEIR_OWN)
  t.deepEqual(refusalOf(await service.as('bob').post(`${path}/extend`, { duration: 7200 })), NOT_THEIR_OWN)
})
