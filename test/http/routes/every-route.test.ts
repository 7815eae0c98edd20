/** Rules for every route: its parameters, methods, media type and status. */

import test from 'ava'
import type { Route } from '../../../src/http/protocol/route.ts'
import { type Answer, passwordOf } from '../client.ts'
import { type Running, start, tidyingLater } from '../harness.ts'
import { faultsOf, refusalOf } from '../refusals/problems.ts'
import { aReservation, aSeries, createSut, NOW, REFUSING, reserved } from '../requests.ts'
import { addressOf, aWebhook, catalogue, nameOf, queryOf, send, type Things } from './catalogue.ts'
import '../documents/fit-answers.ts'

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
  const { json: page } = await service.as('admin').get('/api/events?limit=1')
  const webhook = await service.as('admin').post('/api/webhook/create', aWebhook())
  return {
    sut,
    webhook: String(webhook.json._id),
    reservation: String(json._id),
    series: String(made.json.series_id),
    request: String(waits.json._id),
    user,
    token: String(issued.json._id),
    event: (page.events as readonly { id: string }[])[0]?.id ?? '',
    holder: 'admin',
    asker: 'admin',
  }
}

test.before(async () => {
  service = await start(later, { now: NOW })
  things = await makeThings()
})
test.after.always(later.tidy)

/** A provider of single sign-on adds what it likes. */
const OF_PROVIDERS = ['GET /login/callback']

for (const route of catalogue.filter((route) => !OF_PROVIDERS.includes(nameOf(route)))) {
  test(`${nameOf(route)} refuses unknown parameters by name`, async (t) => {
    const required = queryOf(route, things)
    const refused = await send(
      service.as('admin'),
      route,
      things,
      `${required === '' ? '?' : `${required}&`}surprise=1&surprise=2&other`,
    )
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
const others = catalogue.filter(
  (route) => ![...OF_GATEWAY, ...OF_SESSIONS, ...OF_PROVIDER, ...OF_STREAMS].includes(nameOf(route)),
)

/** The headers that are the same for the same request. The metrics count it, and grow; pieces are made for GET only. */
const lasting = ({ headers: { date: _, 'x-request-id': __, 'content-length': length, ...headers } }: Answer) => ({
  ...headers,
  'transfer-encoding': '',
  ...(headers['content-type']?.startsWith('text/plain') !== true && { length }),
})

for (const route of others.filter(({ method }) => method === 'GET')) {
  test(`${nameOf(route)}: HEAD answers like GET, without a body, and OPTIONS names both`, async (t) => {
    const path = addressOf(route.path, things) + queryOf(route, things)
    const [got, head] = [await service.as('admin').get(path), await service.as('admin').request('HEAD', path)]
    t.is(got.status, 200)
    t.deepEqual([head.status, head.text], [200, ''])
    t.deepEqual(lasting(head), lasting(got))
    const options = await service.as('admin').request('OPTIONS', path)
    const allowed = catalogue.some(({ method, path }) => method === 'POST' && path === route.path)
      ? 'GET, HEAD, OPTIONS, POST'
      : 'GET, HEAD, OPTIONS'
    t.deepEqual([options.status, options.headers.allow], [200, allowed])
  })
}

/** JSON, unless the route declares another type. */
test('a success is application/json: a creation is 201 with a relative Location, anything else 200', async (t) => {
  const own = await makeThings()
  const byName = new Map(others.map((route) => [nameOf(route), route]))
  const isLast = (name: string): boolean => /(cancel|retire|remove|restore|erase)$/.test(name)
  // A retired SUT cannot be reserved.
  const reserving = ['sut_reservation', 'sut_reservation_series', 'sut_request'].map(
    (path) => `POST /api/${path}/create`,
  )
  const first = [...byName.keys()].filter((name) => !isLast(name) && !reserving.includes(name))
  const ending = ['POST /api/user/:id/remove', 'POST /api/user/:id/restore']
  const erasing = ['POST /api/user/:id/remove', 'POST /api/user/:id/erase']
  const cancelling = ['POST /api/sut_reservation/:id/cancel', 'POST /api/sut_reservation_series/:id/cancel']
  const order = [...first, ...cancelling, 'POST /api/sut/:id/retire', ...ending, ...erasing]
  for (const name of [...order, ...reserving]) {
    const route = byName.get(name) as Route
    const { status, headers, text } = await send(service.as('admin'), route, reserving.includes(name) ? things : own)
    t.is(headers['content-type'], route.mediaType ?? 'application/json', `${name} ${text}`)
    t.is(status, route.isCreation ? 201 : 200, `${name} ${text}`)
    if (route.isCreation)
      t.regex(
        String(headers.location),
        /^\/api\/(sut|sut_reservation|sut_reservation_series|sut_request|user|webhook)\/[0-9a-f]{24}(\/token)?$/,
      )
    else t.is(headers.location, undefined)
  }
})
