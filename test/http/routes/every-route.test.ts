import test from 'ava'
import { type Answer, passwordOf } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { WEB_DIGEST } from '../page-script.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSeries, aSut, createSut, NOW, REFUSING, reserved } from '../requests.ts'
import { page } from './route-page.ts'
import '../documents/fit-answers.ts'

/** Rules for every route: its parameters, methods, media type and status. */

/** The ids used in the paths. */
interface Things {
  readonly sut: string
  readonly reservation: string
  readonly series: string
  readonly request: string
  readonly user: string
  readonly token: string
}

const TOMORROW = { start_time: '2030-05-03T06:00:00Z', end_time: '2030-05-03T07:00:00Z' }
const NEXT_WEEK = { start_time: '2030-05-10T06:00:00Z', end_time: '2030-05-10T07:00:00Z' }

const later = tidyingLater()
let service: Running
let things: Things

const makeThings = async (): Promise<Things> => {
  const sut = await createSut(service.as('admin'), REFUSING)
  const { json } = await reserved(service.as('admin'), aReservation(sut, { keepalive: 3_600 }))
  const made = await service.as('admin').post('/api/sut_reservation_series/create', aSeries(sut, NEXT_WEEK))
  const waits = await service
    .as('admin')
    .post('/api/sut_request/create', { sut_id: sut, duration: 3_600, keepalive: 3_600 })
  const person = { name: `who has ${sut}`, role: 'tester', password: passwordOf('somebody') }
  const added = await service.as('admin').post('/api/user/create', person)
  const user = String(added.json._id)
  const issued = await service.as('admin').post(`/api/user/${user}/token`, { name: 'first' })
  return {
    sut,
    reservation: String(json._id),
    series: String(made.json.series_id),
    request: String(waits.json._id),
    user,
    token: String(issued.json._id),
  }
}

test.before(async () => {
  service = await start(later, { now: NOW })
  things = await makeThings()
})
test.after.always(later.tidy)

const addressOf = (path: string, { sut, reservation, series, request, user, token }: Things): string =>
  path
    .replace(':code', 'stale')
    .replace(':chapter', 'reservations')
    .replace(':digest', WEB_DIGEST)
    .replace(':name', 'main.ts')
    .replace(':ticket', 'ticket')
    .replace(':token', token)
    .replace(':file', 'SutRetired.1.json')
    .replace('series/:id', `series/${series}`)
    .replace('request/:id', `request/${request}`)
    .replace('sut/:id', `sut/${sut}`)
    .replace('user/:id', `user/${user}`)
    .replace(':id', reservation)

const methodAndPath = (route: string): readonly [method: string, path: string] => {
  const [method = '', path = ''] = route.split(' ')
  return [method, path]
}

/** A valid body for each POST. */
const BODIES: Readonly<Record<string, (things: Things) => object>> = {
  '/api/sut_reservation/create': ({ sut }) => aReservation(sut, TOMORROW),
  '/api/sut_reservation/:id/extend': () => ({ duration: 1800 }),
  '/api/sut_reservation_series/create': ({ sut }) =>
    aSeries(sut, { start_time: '2030-05-03T08:00:00Z', end_time: '2030-05-03T09:00:00Z' }),
  '/api/sut_reservation/:id/shorten': () => ({ end_time: '2030-05-02T06:15:00Z' }),
  '/api/sut_request/create': ({ sut }) => ({ sut_id: sut, duration: 3_600 }),
  '/api/sut/create': () => aSut(),
  '/api/sut/import': () => ({ suts: [aSut(), aSut({ tags: { rack: '4' } })] }),
  '/api/sut/:id/tags': () => ({ a: '1' }),
  '/api/sut/:id/monitoring': () => ({ enabled: true }),
  '/api/user/create': ({ sut }) => ({ name: `who had ${sut}`, role: 'tester' }),
  '/api/user/import': ({ sut }) => ({ users: [{ name: `who wants ${sut}`, role: 'tester' }] }),
  '/api/user/:id/update': () => ({ role: 'auditor' }),
  '/api/user/:id/password': () => ({ password: passwordOf('nobody') }),
  '/api/user/me/password': () => ({ old_password: passwordOf('admin'), password: passwordOf('admin') }),
  '/api/user/:id/remove': () => ({ reservations: 'cancel' }),
  '/api/user/:id/token': () => ({ name: 'ci' }),
  '/api/login': () => ({ name: 'admin', password: passwordOf('admin') }),
  '/api/login/oidc/finish': () => ({ code: 'c', state: 's', transaction: 't' }),
  '/api/logout': () => ({ everywhere: true }),
}

const ask = (route: string, about: Things, query = ''): Promise<Answer> => {
  const [method, path] = methodAndPath(route)
  const address = `${addressOf(path, about)}${query}`
  const admin = service.as('admin')
  return method === 'GET' ? admin.get(address) : admin.post(address, BODIES[path]?.(about) ?? {})
}

/** A provider of single sign-on adds what it likes. */
const OF_PROVIDERS = ['GET /login/callback']

const firstEvent = async (): Promise<string> => {
  const { json } = await service.as('admin').get('/api/events?limit=1')
  return (json.events as readonly { id: string }[])[0]?.id ?? ''
}

const A_DAY = 'from=2030-05-01T00:00:00Z&to=2030-05-02T00:00:00Z'

/** The required parameters of a route. */
const QUERIES: Readonly<Record<string, () => Promise<string>>> = {
  'GET /api/audit/inclusion': async () => `?event=${await firstEvent()}`,
  'GET /api/audit/consistency': async () => '?from=0',
  'GET /api/sut/:id/outages': async () => `?${A_DAY}`,
  'GET /api/outages': async () => `?sut_id=none&${A_DAY}`,
}
const queryOf = async (route: string): Promise<string> => (await QUERIES[route]?.()) ?? ''

for (const route of page.filter((route) => !OF_PROVIDERS.includes(route))) {
  test(`${route} refuses unknown parameters by name`, async (t) => {
    const required = await queryOf(route)
    const refused = await ask(route, things, `${required === '' ? '?' : `${required}&`}surprise=1&surprise=2&other`)
    t.deepEqual([refused.status, refused.json.code], [422, 'invalid'])
    t.deepEqual([...new Set(refusalOf(refused).slice(2))].toSorted(), ['other', 'surprise'])
    t.deepEqual(faultsOf(refused), [])
  })
}

/** Routes that succeed only beside a running gateway. test/gateway/console has their successes. */
const OF_GATEWAY = ['POST /api/sut_reservation/:id/console', 'GET /api/console/:ticket']
/** It succeeds only with a session, as test/http/logins shows. */
const OF_SESSIONS = ['POST /api/login/renew']
/** They succeed only with a provider, as test/http/logins/oidc shows. */
const OF_PROVIDER = ['POST /api/login/oidc/start', 'POST /api/login/oidc/finish']
/** Its answer never ends, as test/feed/changes shows. */
const OF_STREAMS = ['GET /api/changes']
const others = page.filter((route) => ![...OF_GATEWAY, ...OF_SESSIONS, ...OF_PROVIDER, ...OF_STREAMS].includes(route))

for (const route of others.filter((route) => route.startsWith('GET '))) {
  test(`${route}: HEAD answers like GET, without a body, and OPTIONS names both`, async (t) => {
    const path = addressOf(methodAndPath(route)[1], things) + (await queryOf(route))
    const [got, head] = [await service.as('admin').get(path), await service.as('admin').request('HEAD', path)]
    t.is(got.status, 200)
    t.deepEqual([head.status, head.text], [200, ''])
    t.is(head.headers['content-type'], got.headers['content-type'])
    t.is(head.headers.etag, got.headers.etag)
    const options = await service.as('admin').request('OPTIONS', path)
    const allowed = page.includes(route.replace('GET', 'POST')) ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS'
    t.deepEqual([options.status, options.headers.allow], [200, allowed])
  })
}

/** Routes that do not return JSON. */
const OTHER_MEDIA_TYPES: Readonly<Record<string, string>> = {
  'GET /problems/:code': 'text/html; charset=utf-8',
  'GET /metrics': 'text/plain; version=0.0.4; charset=utf-8',
  'GET /api/audit/checkpoint': 'text/plain; charset=utf-8',
  'GET /api/audit/key': 'text/plain; charset=utf-8',
  'GET /api/audit/leaves': 'application/x-ndjson',
  'GET /docs': 'text/html; charset=utf-8',
  'GET /': 'text/html; charset=utf-8',
  'GET /login/callback': 'text/html; charset=utf-8',
  'GET /web/:digest/:name': 'text/javascript; charset=utf-8',
  'GET /guide': 'text/html; charset=utf-8',
  'GET /guide/:chapter': 'text/html; charset=utf-8',
  'GET /client/berth.mjs': 'text/javascript; charset=utf-8',
  'GET /guide/tour.svg': 'image/svg+xml',
  'GET /guide/schedule.png': 'image/png',
  'GET /docs/swagger-ui.css': 'text/css; charset=utf-8',
  'GET /docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

test('a success is application/json: a creation is 201 with a relative Location, anything else 200', async (t) => {
  const own = await makeThings()
  const isLast = (route: string): boolean => /(cancel|retire|remove|restore|erase)$/.test(route)
  // A retired SUT cannot be reserved.
  const reserving = ['sut_reservation', 'sut_reservation_series', 'sut_request'].map(
    (path) => `POST /api/${path}/create`,
  )
  const first = others.filter((route) => !isLast(route) && !reserving.includes(route))
  const ending = ['POST /api/user/:id/remove', 'POST /api/user/:id/restore']
  const erasing = ['POST /api/user/:id/remove', 'POST /api/user/:id/erase']
  const cancelling = ['POST /api/sut_reservation/:id/cancel', 'POST /api/sut_reservation_series/:id/cancel']
  const order = [...first, ...cancelling, 'POST /api/sut/:id/retire', ...ending, ...erasing]
  for (const route of [...order, ...reserving]) {
    const about = reserving.includes(route) ? things : own
    const { status, headers, text } = await ask(route, about, await queryOf(route))
    t.is(headers['content-type'], OTHER_MEDIA_TYPES[route] ?? 'application/json', `${route} ${text}`)
    const isCreation = /(create|token)$/.test(route) && route.startsWith('POST')
    t.is(status, isCreation ? 201 : 200, `${route} ${text}`)
    if (isCreation)
      t.regex(
        String(headers.location),
        /^\/api\/(sut|sut_reservation|sut_reservation_series|sut_request|user)\/[0-9a-f]{24}(\/token)?$/,
      )
    else t.is(headers.location, undefined)
  }
})
