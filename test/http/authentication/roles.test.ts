import test from 'ava'
import { type Handlers, routes } from '../../../src/http/routes.ts'
import type { Answer, Client } from '../client.ts'
import { idOf, type Running, start, tidyingLater } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSut, createSut, NOW, reserve, reserved } from '../requests.ts'
import { logOf } from '../store/log-rows.ts'
import '../documents/fit-answers.ts'

/** BEHAVIOUR.md, Who may do what: every route of the page, every role, one's own and another's, and nobody. */

/** Stands in for whatever is asked of it: only what the page says of its routes is looked at. */
const nothing = (): unknown => new Proxy(() => undefined, { get: nothing })

const page: readonly string[] = routes(nothing() as Handlers).map(({ method, path }) => `${method} ${path}`)

/** Who asks, and whose the reservation is that it is about; alice and bob are testers. */
const ASKERS = {
  'an administrator about its own': ['admin', 'admin'],
  'an administrator about another’s': ['admin', 'alice'],
  'a tester about its own': ['alice', 'alice'],
  'a tester about another’s': ['alice', 'bob'],
  'an auditor about its own': ['audrey', 'audrey'],
  'an auditor about another’s': ['audrey', 'alice'],
} as const
type Asker = keyof typeof ASKERS

const MAY = 'may'
const FORBIDDEN = [403, 'forbidden']
const NOT_ITS_OWN = [403, 'not_your_reservation']
type Expected = typeof MAY | readonly unknown[]

const everybody = (expected: Expected): Record<Asker, Expected> => ({
  'an administrator about its own': expected,
  'an administrator about another’s': expected,
  'a tester about its own': expected,
  'a tester about another’s': expected,
  'an auditor about its own': expected,
  'an auditor about another’s': expected,
})
const auditors = (expected: Expected) => ({
  'an auditor about its own': expected,
  'an auditor about another’s': expected,
})

/** "auditor: read everything; tester: read SUTs and reservations" */
const READ = everybody(MAY)
/** "reserve for its own user_id only (403 otherwise); cancel and extend its own"; an auditor may "write nothing" */
const RESERVE = { ...READ, 'a tester about another’s': NOT_ITS_OWN, ...auditors(FORBIDDEN) }
/** "administrator: everything", which the others are not said to do */
const MANAGE = {
  ...everybody(FORBIDDEN),
  'an administrator about its own': MAY,
  'an administrator about another’s': MAY,
} as const
/** "tester: ... its own, read their history; auditor: ... histories" */
const READ_ITS_OWN = { ...READ, 'a tester about another’s': NOT_ITS_OWN }
/** "(administrators, auditors)", as it is said of users and metrics */
const OVERSEE = { ...MANAGE, ...auditors(MAY) }

/** What there is of each asker's own: a SUT, and on it a reservation of whom it is about. */
interface Things {
  readonly sut: string
  readonly reservation: string
  readonly holder: string
}

interface Entry {
  readonly expected: Readonly<Record<Asker, Expected>>
  /** "Nothing but health checks answers without credentials." */
  readonly isOpen?: true
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
  'GET /api/sut_reservation': { expected: READ, ask: get('/api/sut_reservation') },
  'GET /api/sut_reservation/:id': { expected: READ, ask: get('/api/sut_reservation/RESERVATION') },
  'POST /api/sut/create': { expected: MANAGE, ask: (client) => client.post('/api/sut/create', aSut()) },
  'POST /api/sut/:id/update': {
    expected: MANAGE,
    ask: (client, { sut }) => client.post(`/api/sut/${sut}/update`, { os: 'linux' }),
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
    expected: READ_ITS_OWN,
    ask: get('/api/sut_reservation/RESERVATION/history'),
  },
  'GET /api/sut/:id/history': { expected: OVERSEE, ask: get('/api/sut/SUT/history') },
  'GET /api/sut/:id/availability': { expected: READ, ask: get('/api/sut/SUT/availability') },
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
  'GET /health/live': { expected: READ, isOpen: true, ask: get('/health/live') },
  'GET /health/ready': { expected: READ, isOpen: true, ask: get('/health/ready') },
}

const later = tidyingLater()
let service: Running

const firstEvent = async (): Promise<string> => {
  const { json } = await service.as('admin').get('/api/events?limit=1')
  return (json.events as readonly { id: string }[])[0]?.id ?? ''
}

/** Where the proof is that some event is in the log. */
const aProof = async (): Promise<string> => `/api/audit/inclusion?event=${await firstEvent()}`

test.before(async () => {
  service = await start(later, { now: NOW })
})
test.after.always(later.tidy)

const thingsOf = async (holder: string, isFree: boolean): Promise<Things> => {
  const admin = service.as('admin')
  const sut = await createSut(admin)
  if (isFree) return { sut, holder, reservation: '' }
  const made = await reserved(admin, aReservation(sut, { user_id: idOf(holder) }))
  return { sut, holder, reservation: String(made.json._id) }
}

test('every route of the page has its entry in the table of these tests, and every entry its route', (t) => {
  t.deepEqual(Object.keys(TABLE).toSorted(), page.toSorted())
})

for (const route of page) {
  for (const [asker, [name, holder]] of Object.entries(ASKERS)) {
    const expected = TABLE[route]?.expected[asker as Asker]
    test.serial(`${route} by ${asker}: ${expected === MAY ? expected : expected?.join(' ')}`, async (t) => {
      const entry = TABLE[route]
      if (entry === undefined || expected === undefined) throw new Error('nobody has said who may')
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

  test.serial(`${route} by somebody without credentials: ${TABLE[route]?.isOpen ? MAY : 401}`, async (t) => {
    const entry = TABLE[route]
    if (entry === undefined) throw new Error('nobody has said who may')
    const things = await thingsOf('alice', entry.isFree ?? false)
    const recorded = (await logOf(service)).length
    const answer = await entry.ask(service.anyone, things)
    if (entry.isOpen) t.is(answer.status, 200)
    else {
      t.deepEqual(refusalOf(answer), [401, 'unauthenticated'])
      t.deepEqual(faultsOf(answer), [])
      t.is((await logOf(service)).length, recorded)
    }
  })
}

test('an unknown path is 404 to whoever is known, 401 to nobody', async (t) => {
  for (const path of ['/', '/api', '/api/none', '/metrics/', '/health']) {
    for (const name of ['admin', 'alice', 'audrey']) {
      t.deepEqual(refusalOf(await service.as(name).get(path)), [404, 'not_found'], path)
    }
    t.deepEqual(refusalOf(await service.anyone.get(path)), [401, 'unauthenticated'], path)
  }
})

test('what a tester may not do it is not told more about: not whether the reservation still stands', async (t) => {
  const { reservation } = await thingsOf('alice', false)
  const path = `/api/sut_reservation/${reservation}`
  await service.as('alice').request('POST', `${path}/cancel`)
  t.deepEqual(refusalOf(await service.as('bob').request('POST', `${path}/cancel`)), NOT_ITS_OWN)
  t.deepEqual(refusalOf(await service.as('bob').post(`${path}/extend`, { duration: 7200 })), NOT_ITS_OWN)
})
