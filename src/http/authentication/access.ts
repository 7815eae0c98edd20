import type { IncomingMessage } from 'node:http'
import type { Role } from '../../domain/events/user.ts'
import type { User } from '../../users/user.ts'
import { namesIn } from '../codecs/query.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { Route } from '../protocol/route.ts'
import { isCrossSite } from './cross-site.ts'

/** A query parameter of this request that the role may not use. */
const forbiddenParameter = (role: Role, { mayUse = {} }: Route, query: string): string | undefined => {
  const withheld = Object.keys(mayUse).filter((name) => !mayUse[name]?.includes(role))
  if (query === '' || withheld.length === 0) return undefined
  const given = namesIn(query)
  return withheld.find((name) => given.includes(name))
}

const checkRole = (
  { role, token }: Pick<User, 'role' | 'token'>,
  route: Route,
  may: readonly Role[],
  query: string,
): Refusal | undefined => {
  if (!may.includes(role)) {
    return refusal('forbidden', `The role ${role} may not do this. It needs ${may.join(' or ')}.`)
  }
  if (route.isForPeople && token !== undefined)
    return refusal('forbidden', 'A token may not do this. Sign in with a name and a password.')
  const withheld = forbiddenParameter(role, route, query)
  return withheld === undefined ? undefined : refusal('forbidden', `The role ${role} may not use ${withheld}.`)
}

/** Checks everything that can refuse a request whatever its content, in the documented order. */
export const checkAccess = (
  request: IncomingMessage,
  user: Pick<User, 'role' | 'token'>,
  route: Route,
  query: string,
  isOpen: () => boolean,
): Refusal | undefined => {
  // A request that anyone may send has no user.
  const refused = route.may === 'anyone' ? undefined : checkRole(user, route, route.may, query)
  if (refused !== undefined) return refused
  if (isCrossSite(request)) {
    return refusal('cross_site', 'A page of another site sent this request. Such requests may not change anything.')
  }
  const isApart = route.may === 'anyone' && route.method === 'GET'
  if (isApart || route.isAlwaysOpen || isOpen()) return undefined
  return refusal('unavailable', 'The service is still reading its log. Try again.')
}
