import type { Operation } from '../../../src/http/protocol/route.ts'
import { catalogue, nameOf } from '../routes/catalogue.ts'
import {
  type Asker,
  type Expected,
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

/**
 * What every role may do with every route. Who may is taken from the declaration of the route, as the guide's table of
 * people.md has it, which a test compares; what else a route expects is here.
 */

export interface Entry {
  readonly expected: Readonly<Record<Asker, Expected>>
  /** "Nothing but health checks answers without credentials", and consoles have tickets. */
  readonly withoutCredentials?: Expected
  /** The SUT must have no reservation for this to succeed. */
  readonly isFree?: true
  /** Whoever succeeds must sign in again. */
  readonly endsSessions?: true
  /** What succeeds is about a new user: the others are still needed. */
  readonly newUser?: 'present' | 'removed'
  /** "Tokens manage neither passwords nor other users' tokens": what they are answered in place of `expected`. */
  readonly withToken?: Readonly<Partial<Record<Asker, Expected>>>
  /** Only a session can be renewed. */
  readonly withSession?: Readonly<Partial<Record<Asker, Expected>>>
}

const OF_TOKENS = { expected: TOKENS, withToken: OWN_TOKENS }
const WITHOUT_PROVIDER = { expected: everybody(NO_PROVIDER), withoutCredentials: NO_PROVIDER }

const FURTHER: Readonly<Record<string, Partial<Entry>>> = {
  'POST /api/sut_reservation/:id/console': { expected: HOLDER_ALONE },
  'GET /api/console/:ticket': { expected: everybody(NO_WEB_SOCKET), withoutCredentials: NO_WEB_SOCKET },
  'GET /api/sut_reservation/:id/history': { expected: READ_THEIR_OWN },
  'GET /api/user/:id/history': { expected: READ_OF_THEMSELVES },
  'POST /api/sut/:id/retire': { isFree: true },
  'POST /api/user/:id/password': { endsSessions: true },
  'POST /api/user/me/password': { endsSessions: true },
  'POST /api/user/:id/logout': { endsSessions: true },
  'POST /api/user/:id/remove': { newUser: 'present' },
  'POST /api/user/:id/restore': { newUser: 'removed' },
  'POST /api/user/:id/erase': { newUser: 'removed' },
  'POST /api/user/:id/token': OF_TOKENS,
  'GET /api/user/:id/token': OF_TOKENS,
  'POST /api/user/:id/token/:token/revoke': OF_TOKENS,
  'POST /api/login/oidc/start': WITHOUT_PROVIDER,
  'POST /api/login/oidc/finish': WITHOUT_PROVIDER,
  // Everybody asks with a password.
  'POST /api/login/renew': { expected: everybody(FORBIDDEN), withSession: everybody(MAY) },
  'POST /api/logout': { endsSessions: true },
}

const expectedOfRoles = ({ path, roles }: Operation): Entry['expected'] => {
  if (roles === 'anyone') return READ
  const [mayTesters, mayAuditors] = [roles.includes('tester'), roles.includes('auditor')]
  if (mayTesters && mayAuditors) return READ
  if (mayTesters) return path.startsWith('/api/sut_request') ? WAIT : RESERVE
  return mayAuditors ? OVERSEE : MANAGE
}

export const entryOf = (route: Operation): Entry => ({
  expected: expectedOfRoles(route),
  ...(route.roles === 'anyone' && { withoutCredentials: MAY }),
  ...(route.isForPeople && { withToken: everybody(FORBIDDEN) }),
  ...FURTHER[nameOf(route)],
})

/** By route, such as `GET /api/sut/:id`. */
export const TABLE: Readonly<Record<string, Entry>> = Object.fromEntries(
  catalogue.map((route) => [nameOf(route), entryOf(route)]),
)
