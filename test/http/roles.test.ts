import test from 'ava'
import type { Answer, Client } from './client.ts'
import { idOf, type Running, start } from './harness.ts'
import { faultsOf } from './problems.ts'
import { aReservation, aSut, createSut, NOW, reserve, reserved } from './requests.ts'

/** Who may do what: every route, every role, and nobody. */

const NOBODY = 'nobody'
const clientOf = (service: Running, name: string): Client => (name === NOBODY ? service.anyone : service.as(name))

interface Things {
  readonly sut: string
  readonly reservation: string
}

type Ask = (client: Client, name: string, things: Things) => Promise<Answer>
const everyone = { admin: 200, alice: 200, bob: 200, audrey: 200 } as const

/** What each of them is answered. */
const ROUTES: Readonly<Record<string, readonly [ask: Ask, statuses: Readonly<Record<string, number>>]>> = {
  'POST /api/sut_reservation/create for oneself': [
    (client, name, { sut }) => reserve(client, aReservation(sut, { user_id: idOf(name), ...hourOf(name) })),
    { admin: 201, alice: 201, bob: 201, audrey: 403 },
  ],
  'POST /api/sut_reservation/create for another': [
    (client, name, { sut }) => reserve(client, aReservation(sut, { user_id: idOf('audrey'), ...hourOf(name) })),
    { admin: 201, alice: 403, bob: 403, audrey: 403 },
  ],
  'GET /api/sut_reservation/<id>': [
    (client, _, { reservation }) => client.get(`/api/sut_reservation/${reservation}`),
    everyone,
  ],
  'POST /api/sut/create': [
    (client) => client.post('/api/sut/create', aSut()),
    { admin: 201, alice: 403, bob: 403, audrey: 403 },
  ],
  'POST /api/sut/<id>/update': [
    (client, _, { sut }) => client.post(`/api/sut/${sut}/update`, { os: 'linux' }),
    { admin: 200, alice: 403, bob: 403, audrey: 403 },
  ],
  'GET /api/sut/<id>': [(client, _, { sut }) => client.get(`/api/sut/${sut}`), everyone],
  'GET /api/user/me': [(client) => client.get('/api/user/me'), everyone],
  'GET /health/live': [(client) => client.get('/health/live'), { ...everyone, [NOBODY]: 200 }],
  'GET /health/ready': [(client) => client.get('/health/ready'), { ...everyone, [NOBODY]: 200 }],
  'GET of an unknown path': [(client) => client.get('/api/none'), { admin: 404, alice: 404, bob: 404, audrey: 404 }],
  'GET /': [(client) => client.get('/'), { admin: 404, alice: 404, bob: 404, audrey: 404 }],
}

/** A window for each of them, so that nobody is in another's way. */
const hourOf = (name: string) => {
  const hour = 10 + ['admin', 'alice', 'bob', 'audrey', NOBODY].indexOf(name)
  return { start_time: `2030-05-02T${hour}:00:00Z`, end_time: `2030-05-02T${hour}:15:00Z` }
}

for (const [route, [ask, statuses]] of Object.entries(ROUTES)) {
  const told = Object.entries(statuses).map(([name, status]) => `${name} ${status}`)
  test(`${route}: ${told.join(', ')}${NOBODY in statuses ? '' : ', without credentials 401'}`, async (t) => {
    const service = await start(t, { now: NOW })
    const sut = await createSut(service.as('admin'))
    const reservation = String((await reserved(service.as('alice'), aReservation(sut))).json._id)
    for (const [name, status] of Object.entries({ [NOBODY]: 401, ...statuses })) {
      const answer = await ask(clientOf(service, name), name, { sut, reservation })
      t.is(answer.status, status, name)
      if (status >= 400) t.deepEqual(faultsOf(answer), [], name)
    }
  })
}

test('a forbidden role is told that it is the role, another’s user_id that it is the user', async (t) => {
  const service = await start(t, { now: NOW })
  const sut = await createSut(service.as('admin'))
  t.is((await reserve(service.as('audrey'), aReservation(sut))).json.code, 'forbidden')
  t.is((await reserve(service.as('bob'), aReservation(sut))).json.code, 'not_your_reservation')
})
