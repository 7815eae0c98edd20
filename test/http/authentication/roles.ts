/**
 * What every role may do with every route. Who may is taken from the declaration of the route, and the
 * guide's table in http.md is made from this; what else is expected of a route is here.
 */

import type { Role } from '../../../src/domain/events/user.ts'
import type { Route } from '../../../src/http/protocol/route.ts'
import { nameOf } from '../routes/catalogue.ts'

/** Who sends a request. */
export interface Asker {
  readonly name: string
  /** Who holds the reservation, or is the user, that it is about. */
  readonly holder: string
  readonly role: Role
  readonly isOwn: boolean
  /** Whether the SUT is outside the scope of who asks. */
  readonly isOutside: boolean
}

export const SCOPE = { text: 'team=qa1', tags: { team: 'qa1' } } as const

const ROLES: Readonly<Record<string, Role>> = { admin: 'administrator', audrey: 'auditor' }
/** alice, bob and scott are testers. scott has a scope; hugo holds reservations outside of it only. */
export const ASKERS: readonly Asker[] = (
  [
    ['admin', 'admin'],
    ['admin', 'alice'],
    ['alice', 'alice'],
    ['alice', 'bob'],
    ['audrey', 'audrey'],
    ['audrey', 'alice'],
    ['scott', 'scott'],
    ['scott', 'alice'],
    ['scott', 'hugo'],
  ] as const
).map(([name, holder]) => ({
  ...{ name, holder, isOwn: name === holder, isOutside: holder === 'hugo' },
  role: ROLES[name] ?? 'tester',
}))

const FOR_METRICS = 'token for metrics'
/** Ways of signing in: with what a request is sent. */
export const WAYS = ['password', 'token', 'session', 'token of a tester', 'token of an auditor', FOR_METRICS] as const
export type Way = (typeof WAYS)[number]
/** Only administrators have tokens of other roles. */
export const LOWER: Readonly<Partial<Record<Way, Role>>> = {
  'token of a tester': 'tester',
  'token of an auditor': 'auditor',
}

export const MAY = 'allowed'
const FORBIDDEN = [403, 'forbidden'] as const
export const NOT_THEIR_OWN = [403, 'not_your_reservation'] as const
export type Expected = typeof MAY | readonly unknown[]

type Rule = (role: Role, isOwn: boolean, way: Way) => Expected

const isToken = (way: Way): boolean => way.startsWith('token')
const overOthers = (role: Role, isOwn: boolean): boolean => isOwn || role === 'administrator'

/** Everybody's own, and as an administrator those of others, but with no token. */
const ofTokens: Rule = (role, isOwn, way) => ((isToken(way) ? isOwn : overOthers(role, isOwn)) ? MAY : FORBIDDEN)

/** What differs from the roles of a route. No reservation of this test has started, and there is no single sign-on. */
const RULES: Readonly<Record<string, Rule>> = {
  // The holder alone: administrators too get 403.
  'POST /api/sut_reservation/:id/console': (role, isOwn) => {
    if (role === 'auditor') return FORBIDDEN
    return isOwn ? [409, 'reservation_not_running'] : NOT_THEIR_OWN
  },
  'GET /api/console/:ticket': () => [426, 'upgrade_required'],
  'GET /api/sut_reservation/:id/history': (role, isOwn) => (isOwn || role !== 'tester' ? MAY : NOT_THEIR_OWN),
  'GET /api/user/:id/history': (role, isOwn) => (isOwn || role !== 'tester' ? MAY : FORBIDDEN),
  'POST /api/user/:id/token': ofTokens,
  'GET /api/user/:id/token': ofTokens,
  'POST /api/user/:id/token/:token/revoke': ofTokens,
  'POST /api/login/oidc/start': () => [404, 'oidc_not_configured'],
  'POST /api/login/oidc/finish': () => [404, 'oidc_not_configured'],
  // Only a session can be renewed.
  'POST /api/login/renew': (_, __, way) => (way === 'session' ? MAY : FORBIDDEN),
}

/** What a route declares: of testers, only its own takes or changes time of a SUT. */
const byRoles =
  ({ roles, path, isForPeople }: Route): Rule =>
  (role, isOwn, way) => {
    if (roles === 'anyone') return MAY
    if (!roles.includes(role) || (isForPeople && isToken(way))) return FORBIDDEN
    if (isOwn || role !== 'tester' || roles.includes('auditor')) return MAY
    return path.startsWith('/api/sut_request') ? [403, 'not_your_request'] : NOT_THEIR_OWN
  }

const ruleOf = (route: Route): Rule => RULES[nameOf(route)] ?? byRoles(route)

/** "Nothing but health checks answers without credentials", and consoles have tickets. */
export const expectedOfNobody = (route: Route): Expected =>
  route.roles === 'anyone' ? ruleOf(route)('tester', false, 'password') : [401, 'unauthenticated']

const NOT_FOUND = [
  ['/api/sut_reservation/:id', 'reservation_not_found'],
  ['/api/sut_reservation_series/:id', 'series_not_found'],
  ['/api/sut_request/:id', 'request_not_found'],
  ['/api/sut/:id', 'sut_not_found'],
  ['/api/user/:id', 'user_not_found'],
] as const

/** What is answered to an asker who signs in one way; undefined where nobody has such credentials. */
export const expectedOf = (route: Route, asker: Asker, way: Way): Expected | undefined => {
  const { role, isOwn, isOutside } = asker
  const rule = ruleOf(route)
  if (way === FOR_METRICS) {
    if (role === 'tester') return undefined
    if (route.roles === 'anyone') return rule(role, isOwn, way)
    return route.path === '/metrics' ? MAY : FORBIDDEN
  }
  if (LOWER[way] !== undefined && role !== 'administrator') return undefined
  const expected = rule(LOWER[way] ?? role, isOwn, way)
  // What is outside a scope is answered like what does not exist.
  const [, code] = NOT_FOUND.find(([path]) => route.path.startsWith(path)) ?? []
  return isOutside && code !== undefined && expected !== FORBIDDEN ? [404, code] : expected
}

/** What a successful request needs, or brings about. */
export interface Needs {
  /** The SUT must have no reservation. */
  readonly isFree?: true
  /** Whoever succeeds must sign in again. */
  readonly endsSessions?: true
  /** It is about a new user: the others are still needed. */
  readonly newUser?: 'present' | 'removed'
}

const NEEDS: Readonly<Record<string, Needs>> = {
  'POST /api/sut/:id/retire': { isFree: true },
  'POST /api/user/:id/password': { endsSessions: true },
  'POST /api/user/me/password': { endsSessions: true },
  'POST /api/user/:id/logout': { endsSessions: true },
  'POST /api/user/:id/remove': { newUser: 'present' },
  'POST /api/user/:id/restore': { newUser: 'removed' },
  'POST /api/user/:id/erase': { newUser: 'removed' },
  'POST /api/logout': { endsSessions: true },
}

export const needsOf = (route: Route): Needs => NEEDS[nameOf(route)] ?? {}
