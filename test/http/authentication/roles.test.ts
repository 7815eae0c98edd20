import '../documents/fit-answers.ts'
import test from 'ava'
import type { Route } from '../../../src/http/protocol/route.ts'
import { isThorough, rounds } from '../../thorough.ts'
import { type Answer, type Client, connectTo, passwordOf } from '../client.ts'
import { idOf, type Running, start, type Tidying, tidyingLater } from '../harness.ts'
import { begin } from '../logins/login.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSeries, createSut, NOW, REFUSING, reserved } from '../requests.ts'
import { aWebhook, catalogue, nameOf, send, type Things } from '../routes/catalogue.ts'
import { eventCounterOf } from '../store/log-rows.ts'
import {
  ASKERS,
  type Expected,
  expectedOf,
  expectedOfNobody,
  LOWER,
  MAY,
  type Needs,
  NOT_THEIR_OWN,
  needsOf,
  SCOPE,
  WAYS,
  type Way,
} from './roles.ts'

/** Clients of users who have signed in, by name and way. */
interface SignedIn {
  readonly client: (name: string, way: Way) => Promise<Client>
  /** Sessions have ended: sign in again. */
  readonly forget: () => void
}

const makeSignedIn = (t: Tidying, service: Running): SignedIn => {
  const connections = connectTo(service.port)
  t.teardown(connections.close)
  const known = new Map<string, string>()
  const signIn = async (name: string, way: Way): Promise<string> => {
    if (way === 'session') return begin(service, name)
    const [role, scope] = [LOWER[way], way === 'token for metrics' && { scope: 'metrics' }]
    const { json } = await service.as(name).post('/api/user/me/token', { name: way, ...(role && { role }), ...scope })
    return String(json.token)
  }
  return {
    client: async (name, way) => {
      if (way === 'password') return service.as(name)
      const key = `${name}, ${way}`
      const credentials = known.get(key) ?? (await signIn(name, way))
      known.set(key, credentials)
      return connections.client({ Authorization: `Bearer ${credentials}` })
    },
    forget: () => known.clear(),
  }
}

/** Every route by every role and way of signing in, own and others' reservations, and no credentials. */

const later = tidyingLater()
let service: Running
let signedIn: SignedIn
let countEvents: () => Promise<number>

let event = ''

test.before(async () => {
  service = await start(later, { now: NOW, environment: { BERTH_QUOTA_DEFAULT: 'reservations_max=none' } })
  signedIn = makeSignedIn(later, service)
  countEvents = eventCounterOf(later, service)
  for (const [name, scope] of [
    ['scott', SCOPE.text],
    ['hugo', ''],
  ] as const) {
    const body = { _id: idOf(name), name, role: 'tester', scope, password: passwordOf(name) }
    await service.as('admin').post('/api/user/create', body)
  }
  const { json } = await service.as('admin').get('/api/events?limit=1')
  event = (json.events as readonly { id: string }[])[0]?.id ?? ''
})
test.after.always(later.tidy)

const aNewUser = async (name: string, status: Needs['newUser']): Promise<string> => {
  const body = { name, role: 'administrator', password: 'correct horse' }
  const id = String((await service.as('admin').post('/api/user/create', body)).json._id)
  if (status === 'removed') await service.as('admin').post(`/api/user/${id}/remove`, { reservations: 'keep' })
  return id
}

/** A request that waits, since the SUT is reserved soon. Auditors have none. */
const waitFor = (sut_id: string, holder: string): Promise<Answer> =>
  service.as('admin').post('/api/sut_request/create', {
    ...{ sut_id, duration: 3_600, user_id: idOf(holder === 'audrey' ? 'bob' : holder), keepalive: 3_600 },
  })

/** There may be a hundred, so only a removal has its own. */
const standing: string[] = []
const aWebhookFor = async (route: Route | undefined): Promise<string> => {
  const isRemoval = route?.path.endsWith('/remove') === true
  const [known] = isRemoval ? [] : standing
  if (known !== undefined) return known
  const { json } = await service.as('admin').post('/api/webhook/create', aWebhook())
  if (!isRemoval) standing.push(String(json._id))
  return String(json._id)
}

const thingsOf = async (asker: string, holder: string, route?: Route, expected?: Expected): Promise<Things> => {
  const admin = service.as('admin')
  const { newUser, isFree } = route === undefined ? {} : needsOf(route)
  const isAbout = (kind: string): boolean => route?.path.includes(`${kind}/:`) === true
  const sut = await createSut(admin, REFUSING)
  if (asker === 'scott' && holder !== 'hugo') await admin.post(`/api/sut/${sut}/tags`, SCOPE.tags)
  const user = newUser !== undefined && expected === MAY ? await aNewUser(`new to ${sut}`, newUser) : idOf(holder)
  const webhook = isAbout('webhook') ? await aWebhookFor(route) : ''
  const issued = isAbout('token') ? await admin.post(`/api/user/${user}/token`, { name: 'of this test' }) : undefined
  const things = { sut, holder, asker, user, event, webhook, token: String(issued?.json._id) }
  const none = { reservation: '', series: '', request: '' }
  if (isFree) return { ...things, ...none }
  if (isAbout('sut_reservation_series')) {
    const made = await admin.post('/api/sut_reservation_series/create', aSeries(sut, { user_id: idOf(holder) }))
    return { ...things, ...none, series: String(made.json.series_id) }
  }
  const made = await reserved(admin, aReservation(sut, { user_id: idOf(holder), keepalive: 3_600 }))
  const waits = isAbout('sut_request') ? await waitFor(sut, holder) : undefined
  return { ...things, ...none, reservation: String(made.json._id), request: String(waits?.json._id) }
}

/** Reads change nothing, so that they can share what they read. */
const readable = new Map<string, Promise<Things>>()

const thingsFor = (route: Route, asker: string, holder: string, expected: Expected): Promise<Things> => {
  const isShared = route.method === 'GET' && !/(series|request|webhook)\/:/.test(route.path)
  if (!isShared) return thingsOf(asker, holder, route, expected)
  const key = `${asker} ${holder}`
  const things = readable.get(key) ?? thingsOf(asker, holder)
  readable.set(key, things)
  return things
}

/** The refusal of an answer with what is wrong with it, or that there is none. */
const outcomeOf = async (route: Route, client: Client, things: Things): Promise<Expected> => {
  const recorded = await countEvents()
  const answer = await send(client, route, things)
  if (answer.status === 200 || answer.status === 201) return MAY
  const further = (await countEvents()) === recorded ? [] : ['something was recorded']
  return [...refusalOf(answer), ...faultsOf(answer), ...further]
}

for (const [number, route] of catalogue.entries()) {
  test.serial(`${nameOf(route)} answers each role in each way of signing in as it may`, async (t) => {
    for (const [place, asker] of ASKERS.entries()) {
      // Everyone at every second route; the thorough run has all.
      if (!isThorough && (number + place) % 2 === 1) continue
      const answers = WAYS.map((way) => ({ way, due: expectedOf(route, asker, way) }))
      const known = answers.filter((one): one is { way: Way; due: Expected } => one.due !== undefined)
      // One way after the other; the thorough run tries all.
      for (let n = 0; n < rounds(1, known.length); n++) {
        const { way, due } = known[(number + place + n) % known.length] as (typeof known)[number]
        const things = await thingsFor(route, asker.name, asker.holder, due)
        const client = await signedIn.client(asker.name, way)
        t.deepEqual(await outcomeOf(route, client, things), due, `${asker.name} about ${asker.holder} with a ${way}`)
        if (needsOf(route).endsSessions) signedIn.forget()
      }
    }
    const due = expectedOfNobody(route)
    t.deepEqual(await outcomeOf(route, service.anyone, await thingsOf('alice', 'alice', route, due)), due, 'nobody')
  })
}

test('an unknown path is 404 with credentials and 401 without', async (t) => {
  for (const path of ['/login', '/web/', '/api', '/api/none', '/metrics/', '/health']) {
    for (const name of ['admin', 'alice', 'audrey']) {
      t.deepEqual(refusalOf(await service.as(name).get(path)), [404, 'not_found'], path)
    }
    t.deepEqual(refusalOf(await service.anyone.get(path)), [401, 'unauthenticated'], path)
  }
})

test('a refused tester does not learn whether another’s reservation is cancelled', async (t) => {
  const { reservation } = await thingsOf('alice', 'alice')
  const path = `/api/sut_reservation/${reservation}`
  await service.as('alice').request('POST', `${path}/cancel`)
  t.deepEqual(refusalOf(await service.as('bob').request('POST', `${path}/cancel`)), NOT_THEIR_OWN)
  t.deepEqual(refusalOf(await service.as('bob').post(`${path}/extend`, { duration: 7200 })), NOT_THEIR_OWN)
})
