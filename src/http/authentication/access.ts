import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { Role } from '../../domain/events/user.ts'
import type { User } from '../../users/user.ts'
import { namesIn } from '../codecs/query.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { Route } from '../protocol/route.ts'
import { sendRefusal, stateOf } from '../response/respond.ts'
import { isCrossSite } from './cross-site.ts'
import type { Gate } from './gate.ts'

const checkRole = (
  { role, token, tokenScope }: Pick<User, 'role' | 'token' | 'tokenScope'>,
  route: Route,
  roles: readonly Role[],
  query: string,
): Refusal | undefined => {
  if (!roles.includes(role)) {
    return refusal('forbidden', `The role ${role} may not do this. It needs ${roles.join(' or ')}.`)
  }
  if (tokenScope !== undefined && tokenScope !== route.tokenScope)
    return refusal('forbidden', `This token is for ${tokenScope} only.`)
  if (route.isForPeople && token !== undefined)
    return refusal('forbidden', 'A token may not do this. Sign in with a name and a password.')
  const { parameterRoles = {} } = route
  const withheld = Object.keys(parameterRoles).filter((name) => !parameterRoles[name]?.includes(role))
  const names = query === '' || withheld.length === 0 ? [] : namesIn(query)
  const used = withheld.find((name) => names.includes(name))
  return used === undefined ? undefined : refusal('forbidden', `The role ${role} may not use ${used}.`)
}

/** Checks everything that can refuse a request whatever its content, in the documented order. */
export const checkAccess = (
  request: IncomingMessage,
  user: Pick<User, 'role' | 'token' | 'tokenScope'>,
  route: Route,
  query: string,
  isServing: () => boolean,
): Refusal | undefined => {
  // A request that anyone may send has no user.
  const refused = route.roles === 'anyone' ? undefined : checkRole(user, route, route.roles, query)
  if (refused !== undefined) return refused
  if (isCrossSite(request)) {
    return refusal('cross_site', 'A page of another site sent this request. Such requests may not change anything.')
  }
  const isPublicRead = route.roles === 'anyone' && route.method === 'GET'
  if (isPublicRead || route.isAlwaysOpen || isServing()) return undefined
  return refusal('unavailable', 'The service is still reading its log. Try again.')
}

const settle = (ctx: Context, admitted: E.Either<Refusal, User>): boolean => {
  if (E.isLeft(admitted)) sendRefusal(ctx, admitted.left)
  else stateOf(ctx).user = admitted.right
  return E.isRight(admitted)
}

/**
 * Authenticates a request. False if it has been refused. Verified credentials are admitted at once: awaiting them would
 * cost a read 4 % of its time.
 *
 * @param isAlwaysOpen as of its route
 */
export const admit = (ctx: Context, gate: Gate, isAlwaysOpen = false): boolean | Promise<boolean> => {
  const admitted = gate.admit(ctx.req, isAlwaysOpen)
  return admitted instanceof Promise ? admitted.then((settled) => settle(ctx, settled)) : settle(ctx, admitted)
}
