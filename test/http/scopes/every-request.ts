/** Every request that alice may send, for every route: made from the table of routes. */

import { hash } from 'node:crypto'
import { schemaOf } from '../../../src/domain/codec/json-schema.ts'
import type { Route } from '../../../src/http/protocol/route.ts'
import { passwordOf } from '../client.ts'
import { bodyOf, nameOf, withSegments } from '../routes/catalogue.ts'
import { at, idIn, type Lab } from './lab.ts'
import { HIDDEN } from './steps.ts'

/** A request whose ids are labels in braces, like `{hidden}`. */
export interface Question {
  readonly route: string
  readonly method: string
  readonly path: string
  readonly body?: object | undefined
  readonly headers: Readonly<Record<string, string>>
  /** Which of several like it. */
  readonly time?: string
}

const SUTS = ['inside', 'rdp', 'idle', 'old', 'moved', 'theirs', ...HIDDEN.sut, 'nothing']
const RESERVATIONS = [
  ...['bob on inside', 'own on inside', 'dora on rdp', 'bob on moved', 'cancelled'],
  ...['running there', 'own there', 'own cancelled there', ...HIDDEN.reservation, 'nothing'],
]
const SERIES = ['series of bob', 'own series there', ...HIDDEN.series, 'nothing']
const REQUESTS = ['request of bob', ...HIDDEN.request, 'nothing']
const USERS = ['me', 'alice', 'bob', 'dora', 'admin', ...HIDDEN.user, 'nothing']
const SESSIONS = ['session there', 'session of dora', ...HIDDEN.session, 'nothing']

const labels = (all: readonly string[]): readonly string[] =>
  all.map((label) => (label === 'me' ? label : `{${label}}`))

/** What lists and histories are about, by path. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  '/api/sut_reservation': RESERVATIONS,
  '/api/sut_reservation_series': SERIES,
  '/api/sut_request': REQUESTS,
  '/api/sut': SUTS,
  '/api/user': USERS.filter((label) => label !== 'me'),
  '/api/session': SESSIONS,
  '/api/webhook': ['nothing'],
}

const kindOf = (path: string): readonly string[] => {
  const [base = ''] = Object.keys(KINDS).filter((kind) => path === kind || path.startsWith(`${kind}/`))
  return KINDS[base] ?? []
}

/** What reads can add, by path. */
const INCLUDED: Readonly<Record<string, readonly string[]>> = {
  '/api/sut_reservation': ['names,state', 'names,state,cancelled'],
  '/api/sut': ['settings'],
  '/api/user': ['used'],
}

/** SUTs whose reservations are listed together: in scope, with own reservations outside, and hidden. */
const SEVERAL = [
  ['inside', 'rdp', 'theirs', ...HIDDEN.sut],
  ['theirs', ...HIDDEN.sut, 'nothing'],
]

/** Values of query parameters, by name. */
const VALUES: Readonly<Record<string, (path: string) => readonly string[]>> = {
  limit: () => ['1', '1000'],
  offset: () => ['1', '3'],
  before: (path) => labels(path.endsWith('/token') ? ['nothing'] : kindOf(path)),
  sut_id: () => [...labels(SUTS), ...SEVERAL.map((suts) => labels(suts).join())],
  user_id: () => labels(USERS.slice(1)),
  reservation_id: () => labels(RESERVATIONS),
  from: (path) => (/outages$|report/.test(path) ? [at('05:30'), at('00:00')] : [at('06:15'), at('00:00', 3)]),
  to: () => [at('06:15'), at('00:00', 4)],
  current: () => ['true'],
  free_from: () => [at('06:15'), at('06:00', 2)],
  free_to: () => [at('06:45'), at('06:00', 3)],
  held_at: () => [at('06:00'), at('05:50')],
  held_from: () => [at('05:30')],
  held_to: () => [at('06:00')],
  open: () => ['true'],
  as_of: () => ['0', at('05:50')],
  sut_type: () => ['vnc', 'tcp'],
  is_active: () => ['true', 'false'],
  monitoring: () => ['disabled', 'unknown'],
  name: () => ['inside', 'hidden', 'E'],
  'tag.': () => ['team=qa1', 'team=qa2', 'rack=5', 'os=nt'],
  duration: () => ['900', '7200'],
  removed: () => ['true'],
  include: (path) => INCLUDED[`/${path.split('/').slice(1, 3).join('/')}`] ?? [],
  retired: () => ['true'],
  after: () => ['0', 'latest'],
  type: () => ['ReservationCreated'],
  actor: () => ['{otto}'],
  follow: () => ['true'],
  order: () => ['desc'],
  event: () => ['{nothing}'],
  size: () => ['1'],
  match: () => ['{"name":["inside","hidden","ahead"]}', '{"name":["hidden","ahead"]}'],
  by: (path) => (path.endsWith('/demand') ? ['user', 'none'] : ['sut', 'user', 'none', 'tag.team']),
  bucket: () => ['hour', 'week'],
  time_zone: () => ['Europe/Berlin'],
  ...{ wait: () => ['0'], status: () => ['waiting', 'withdrawn'] },
}

const encoded = (value: string): string => (/^\{[^"]*\}$/.test(value) ? value : encodeURIComponent(value))

/** The parameters of a route with their values. Fails for one that this test has no values for. */
const parametersOf = ({ path, query, roles }: Route): readonly (readonly string[])[] => {
  // What anyone may read is of nobody.
  if (query === undefined || roles === 'anyone') return []
  const { properties = {} } = schemaOf(query) as Record<string, object | undefined>

  return Object.keys(properties).map((name) => {
    const values = VALUES[name]
    if (values === undefined) throw new Error(`${path}: this test has no values for the parameter ${name}`)
    return values(path).map((value) => (name === 'tag.' ? `tag.${value}` : `${name}=${encoded(value)}`))
  })
}

/** Parameters, and those that the route requires. */
const withRequired = (route: Route, ...given: readonly string[]): readonly string[] => {
  const { required = [] } = schemaOf(route.query ?? {}) as { required?: readonly string[] }
  const missing = required.filter((name) => !given.some((one) => one.startsWith(`${name}=`)))
  const all = parametersOf(route).flat()
  return [...given, ...missing.map((name) => all.find((one) => one.startsWith(`${name}=`)) ?? name)]
}

/** No parameter, and each. */
const queriesOf = (route: Route): readonly string[] => {
  const asked = parametersOf(route)
    .flat()
    .map((one) => withRequired(route, one))
  return ['', ...asked.map((parameters) => `?${parameters.join('&')}`)]
}

/** Each parameter with each other. */
const queryPairsOf = (route: Route): readonly string[] => {
  const all = parametersOf(route)
  return all.flatMap((one, n) =>
    all
      .slice(n + 1)
      .flatMap((other) => one.flatMap((a) => other.map((b) => `?${withRequired(route, a, b).join('&')}`))),
  )
}

const RESERVE = (sut: string, start: string, end: string, user = '{alice}') => ({
  ...{ sut_id: `{${sut}}`, user_id: user, start_time: start, end_time: end },
})
const CREATIONS = [...SUTS].flatMap((sut) => [
  RESERVE(sut, at('06:15'), at('06:45')),
  RESERVE(sut, at('05:45'), at('07:15')),
  RESERVE(sut, at('06:15'), at('06:45'), '{otto}'),
  RESERVE(sut, at('06:15'), at('06:45'), '{nothing}'),
  RESERVE(sut, at('04:00'), at('04:15')),
  RESERVE(sut, at('06:00', 9), at('16:00', 9)),
  { ...RESERVE(sut, at('06:00', 9), at('16:00', 9)), beyond_quota: true },
  { ...RESERVE(sut, at('05:45'), at('07:15')), keepalive: 3_600 },
  { sut_id: `{${sut}}`, start_in: -1, duration: 0 },
])

/** A SUT is named as its label is. Of several that are alike, a random one would be reserved. */
const MATCHES = [[...HIDDEN.sut], ['inside', ...HIDDEN.sut], ['rdp', 'theirs', ...HIDDEN.sut]].flatMap((name) => [
  { match: { name }, start_time: at('06:15'), end_time: at('06:45') },
  { match: { name }, start_time: at('05:45'), end_time: at('23:00', 6) },
  { match: { name, not: { tags: { team: 'qa1' } } }, start_time: at('06:15'), end_time: at('06:45') },
])

const SERIES_CREATIONS = SUTS.flatMap((sut) => [
  { ...RESERVE(sut, at('06:15'), at('06:45')), rrule: 'FREQ=WEEKLY;COUNT=2', time_zone: 'UTC' },
  { ...RESERVE(sut, at('14:00'), at('15:00')), rrule: 'FREQ=DAILY;COUNT=2', time_zone: 'Europe/Berlin' },
  { ...RESERVE(sut, at('14:00'), at('15:00')), rrule: 'FREQ=YEARLY', time_zone: 'UTC' },
])

/** None waits long, as what is granted later would be answered at another time. */
const WAITS = [
  ...SUTS.flatMap((sut) => [
    { sut_id: `{${sut}}`, duration: 900, wait: 0 },
    { sut_id: `{${sut}}`, duration: 900, wait: 0, user_id: '{bob}' },
    { sut_id: `{${sut}}`, duration: 0, priority: 101 },
  ]),
  ...[[...HIDDEN.sut], ['inside', ...HIDDEN.sut]].map((name) => ({ match: { name }, duration: 900, wait: 0 })),
]

/** Several bodies for a POST. The others have the one of the catalogue, or none. */
const BODIES: Readonly<Record<string, readonly object[]>> = {
  '/api/sut_reservation/create': [...CREATIONS, ...MATCHES],
  '/api/sut_reservation/:id/extend': [
    ...[{ duration: 7200 }, { end_time: at('07:30') }, { duration: 1 }, { by: 900 }, {}],
  ],
  '/api/sut_reservation/:id/shorten': [{ end_time: at('06:30') }, { end_time: at('23:30') }, {}],
  '/api/sut_reservation_series/create': SERIES_CREATIONS,
  '/api/sut_request/create': WAITS,
  '/api/user/me/password': [{ old_password: 'wrong', password: passwordOf('x') }],
  '/api/user/:id/token': [{ name: 'ci', role: 'administrator' }],
  '/api/login': ['alice', 'otto', 'nobody'].map((name) => ({ name, password: passwordOf('alice') })),
  '/api/logout': [{}, { everywhere: true }],
}

/** For the bodies of the catalogue. */
const THINGS = {
  ...{ sut: '{inside}', reservation: '{bob on inside}', series: '{series of bob}', request: '{request of bob}' },
  ...{ holder: 'bob', asker: 'alice', user: '{bob}', token: '{nothing}', event: '{nothing}', webhook: '{nothing}' },
}

const pathsOf = ({ path }: Route): readonly string[] => {
  const kinds = labels(path.startsWith('/api/user') ? USERS : kindOf(path))
  const fixed = withSegments(path, '{nothing}')
  if (!fixed.includes(':id')) return [fixed]
  if (kinds.length === 0) throw new Error(`${path}: this test has no ids`)
  return kinds.map((id) => fixed.replace(':id', id))
}

/** With an idempotency key, the same request again, the key with another request, and without a key. */
const TIMES: Readonly<Record<string, (key: string) => Readonly<Record<string, string>>>> = {
  first: (key) => ({ 'Idempotency-Key': key }),
  again: (key) => ({ 'Idempotency-Key': key }),
  reused: (key) => ({ 'Idempotency-Key': key, 'Berth-Reason': 'another' }),
  once: () => ({}),
}

const bodiesOf = (route: Route): readonly object[] => BODIES[route.path] ?? [bodyOf(route, THINGS) ?? {}]

const acceptsOf = ({ mediaType, otherMediaTypes = [] }: Route): readonly (string | undefined)[] => [
  undefined,
  ...otherMediaTypes.filter((other) => other !== mediaType),
]

export const questionsOf = (route: Route): readonly Question[] => {
  const name = nameOf(route)
  const paths = pathsOf(route)
  if (route.method === 'GET') {
    const accepted = acceptsOf(route).map((type): Readonly<Record<string, string>> => (type ? { Accept: type } : {}))
    const queries = queriesOf(route)
    return accepted.flatMap((headers) =>
      paths.flatMap((path) => queries.map((query) => ({ route: name, method: 'GET', path: path + query, headers }))),
    )
  }
  const type = { 'Content-Type': 'application/json' }
  return paths.flatMap((path) =>
    bodiesOf(route).flatMap((body) => {
      const key = hash('sha256', path + JSON.stringify(body)).slice(0, 16)
      // A login ignores keys, and each wrong password takes time.
      const times = Object.entries(TIMES).filter(([time]) => route.roles !== 'anyone' || time === 'once')
      return times.map(([time, more]) => {
        return { route: name, method: 'POST', path, body, headers: { ...type, ...more(key) }, time }
      })
    }),
  )
}

/** Reads with two parameters, of what testers may read. */
export const pairsOf = (route: Route): readonly Question[] => {
  const mayRead = route.method === 'GET' && route.roles !== 'anyone' && route.roles.includes('tester')
  if (!mayRead) return []
  const name = `GET ${route.path}`
  const queries = queryPairsOf(route)
  return pathsOf(route).flatMap((path) =>
    queries.map((query) => ({ route: name, method: 'GET', path: path + query, headers: {} })),
  )
}

/** A text with the ids of a lab in place of labels. */
export const withIds = (text: string, lab: Lab): string =>
  text.replace(/\{([^{}"]+)\}/g, (_, label: string) => idIn(lab, label))
