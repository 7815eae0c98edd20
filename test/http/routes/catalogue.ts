/** Every route, from its declaration, with a request that it accepts. */

import type { Route } from '../../../src/http/protocol/route.ts'
import { routes } from '../../../src/http/routes.ts'
import { type Answer, type Client, passwordOf } from '../client.ts'
import { idOf } from '../harness.ts'
import { WEB_DIGEST } from '../page-script.ts'
import { aReservation, aSeries, aSut } from '../requests.ts'

export const catalogue: readonly Route[] = routes

/** Such as `GET /api/sut/:id`. */
export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`

/** What requests are about. */
export interface Things {
  readonly sut: string
  /** A reservation of the SUT, which its series and its request are not about. */
  readonly reservation: string
  readonly series: string
  /** A request that waits for it. */
  readonly request: string
  /** The name of who holds these. */
  readonly holder: string
  /** The name of who asks. */
  readonly asker: string
  /** The id of the user that a request is about. */
  readonly user: string
  /** The id of a token of that user. */
  readonly token: string
  readonly webhook: string
  /** The id of some event. */
  readonly event: string
}

/** Path parameters that are no ids. */
const SEGMENTS: Readonly<Record<string, string>> = {
  code: 'stale',
  file: 'SutRetired.1.json',
  chapter: 'reservations',
  digest: WEB_DIGEST,
  name: 'load.js',
  picture: 'schedule.png',
  ticket: 'ticket',
}

/** The objects whose ids are in paths, by what is before the id. */
const KINDS = {
  sut: 'sut',
  sut_reservation: 'reservation',
  sut_reservation_series: 'series',
  sut_request: 'request',
  user: 'user',
  webhook: 'webhook',
} as const

/** The path with every parameter but `id` filled in. */
export const withSegments = (path: string, token: string): string =>
  path.replace(/:(?!id\b)(\w+)/g, (_, name: string) => {
    const segment = name === 'token' ? token : SEGMENTS[name]
    if (segment === undefined) throw new Error(`${path}: the catalogue has no value for ${name}`)
    return segment
  })

export const addressOf = (path: string, things: Pick<Things, (typeof KINDS)[keyof typeof KINDS] | 'token'>): string =>
  withSegments(path, things.token).replace(
    /(\w+)\/:id/,
    (_, kind: keyof typeof KINDS) => `${kind}/${things[KINDS[kind]]}`,
  )

/** Nobody listens there. */
export const aWebhook = () => ({ url: 'http://127.0.0.1:1/', types: ['SutRetired'] })

const A_DAY = 'from=2030-05-01T00:00:00Z&to=2030-05-02T00:00:00Z'

/** The parameters that routes require, and what a provider of single sign-on adds. */
const QUERIES: Readonly<Record<string, (things: Things) => string>> = {
  '/api/audit/inclusion': ({ event }) => `?event=${event}`,
  '/api/audit/consistency': () => '?from=0',
  '/api/sut/:id/outages': () => `?${A_DAY}`,
  '/api/report/usage': () => `?${A_DAY}`,
  '/api/report/demand': () => `?${A_DAY}`,
  '/api/outages': ({ sut }) => `?sut_id=${sut}&${A_DAY}`,
  '/login/callback': () => '?code=a&state=b&iss=c',
}

export const queryOf = ({ path }: Route, things: Things): string => QUERIES[path]?.(things) ?? ''

const TOMORROW = { start_time: '2030-05-03T06:00:00Z', end_time: '2030-05-03T07:00:00Z' }
const LATER_TOMORROW = { start_time: '2030-05-03T08:00:00Z', end_time: '2030-05-03T09:00:00Z' }

/** A valid body for each POST that needs one. */
const BODIES: Readonly<Record<string, (things: Things) => object>> = {
  '/api/sut_reservation/create': ({ sut, holder }) => aReservation(sut, { user_id: idOf(holder), ...TOMORROW }),
  '/api/sut_reservation/:id/extend': () => ({ duration: 1_800 }),
  '/api/sut_reservation/:id/shorten': () => ({ end_time: '2030-05-02T06:15:00Z' }),
  '/api/sut_reservation_series/create': ({ sut, holder }) => aSeries(sut, { user_id: idOf(holder), ...LATER_TOMORROW }),
  '/api/sut_request/create': ({ sut, holder }) => ({ sut_id: sut, user_id: idOf(holder), duration: 900 }),
  '/api/sut/create': () => aSut(),
  '/api/sut/import': () => ({ suts: [aSut(), aSut({ tags: { rack: '4' } })] }),
  '/api/sut/:id/update': () => ({ os: 'linux' }),
  '/api/sut/:id/tags': () => ({ a: '1' }),
  '/api/sut/:id/monitoring': () => ({ enabled: true }),
  '/api/user/create': ({ sut }) => ({ name: `who had ${sut}`, role: 'tester' }),
  '/api/user/import': ({ sut }) => ({ users: [{ name: `who wants ${sut}`, role: 'tester' }] }),
  '/api/user/:id/update': ({ holder }) => ({ role: holder === 'admin' ? 'administrator' : 'tester' }),
  '/api/user/:id/password': ({ holder }) => ({ password: passwordOf(holder) }),
  '/api/user/me/password': ({ asker }) => ({ old_password: passwordOf(asker), password: passwordOf(asker) }),
  '/api/user/:id/remove': () => ({ reservations: 'cancel' }),
  '/api/user/:id/token': () => ({ name: 'ci' }),
  '/api/webhook/create': () => aWebhook(),
  '/api/webhook/:id/update': () => ({ types: ['SutCreated'] }),
  '/api/webhook/:id/replay': () => ({ after: null }),
  '/api/login': ({ asker }) => ({ name: asker, password: passwordOf(asker) }),
  '/api/login/oidc/finish': () => ({ code: 'c', state: 's', transaction: 't' }),
  '/api/logout': () => ({ everywhere: true }),
  '/mcp': () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
}

export const bodyOf = ({ path }: Route, things: Things): object | undefined => BODIES[path]?.(things)

/** Sends a request that the route accepts from those who may, unless the query is another one. */
export const send = async (
  client: Client,
  route: Route,
  things: Things,
  query = queryOf(route, things),
): Promise<Answer> => {
  const address = addressOf(route.path, things) + query
  if (route.method === 'GET') {
    // A stream never ends: only a refusal is read to its end.
    const head = route.path === '/api/changes' ? await client.request('HEAD', address) : undefined
    return head !== undefined && head.status < 400 ? head : client.get(address)
  }
  const body = bodyOf(route, things)
  return body === undefined ? client.request('POST', address) : client.post(address, body)
}
