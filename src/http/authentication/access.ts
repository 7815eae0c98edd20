import * as E from 'fp-ts/lib/Either.js'
import type { Role } from '../../domain/events/user.ts'
import type { User } from '../../domain/user/user.ts'
import { EVENT_STREAM } from '../protocol/call.ts'
import type { Context, Guard } from '../protocol/context.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import { mediaTypesOf, type Route } from '../protocol/route.ts'
import { negotiate } from '../request/request-head.ts'
import { isCrossSite } from './cross-site.ts'
import type { Gate } from './gate.ts'

interface AccessDependencies {
  readonly gate: Pick<Gate, 'admit'>
  readonly isServing: () => boolean
}

/** Finds the user by the credentials of a request, or refuses it. */
export const authenticate = ({ gate }: Pick<AccessDependencies, 'gate'>, route?: Route): Guard => {
  const isAlwaysOpen = route?.isAlwaysOpen === true
  const admit = (ctx: Context, admitted: E.Either<Refusal, User>): Refusal | undefined => {
    if (E.isLeft(admitted)) return admitted.left
    ctx.state.user = admitted.right
    return undefined
  }
  return (ctx) => {
    const admitting = gate.admit(ctx.req, isAlwaysOpen)
    return admitting instanceof Promise ? admitting.then((admitted) => admit(ctx, admitted)) : admit(ctx, admitting)
  }
}

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
  const { parameterRoles } = route
  if (parameterRoles === undefined || query === '') return undefined
  const names = [...new URLSearchParams(query).keys()]
  const used = Object.keys(parameterRoles).find((name) => names.includes(name) && !parameterRoles[name]?.includes(role))
  return used === undefined ? undefined : refusal('forbidden', `The role ${role} may not use ${used}.`)
}

/** Refuses those who may not call a route, and those who do not accept its media types, whatever the content. */
export const allow = (route: Route, { isServing }: Pick<AccessDependencies, 'isServing'>): Guard => {
  const { roles, isResumable } = route
  const mediaTypes = mediaTypesOf(route)
  const isOpen = route.isAlwaysOpen || (roles === 'anyone' && route.method === 'GET')
  return (ctx) => {
    // A request that anyone may send has no user.
    const refused = roles === 'anyone' ? undefined : checkRole(ctx.state.user, route, roles, ctx.querystring)
    if (refused !== undefined) return refused
    if (isCrossSite(ctx.req)) {
      return refusal('cross_site', 'A page of another site sent this request. Such requests may not change anything.')
    }
    const mediaType = negotiate(ctx, mediaTypes)
    const isHeld = isResumable === true && mediaType === EVENT_STREAM
    if (!isOpen && !isHeld && !isServing()) {
      return refusal('unavailable', 'The service is still reading its log. Try again.')
    }
    if (mediaType === undefined) {
      return refusal('not_acceptable', `The available media types are ${mediaTypes.join(' and ')}.`)
    }
    ctx.state.mediaType = mediaType
    return undefined
  }
}

/** Refuses those whose access has ended or changed while their request waited. */
export const stillAllow = (route: Route, dependencies: AccessDependencies): Guard => {
  const [admit, check] = [authenticate(dependencies, route), allow(route, dependencies)]
  const checkAgain = async (ctx: Context): Promise<Refusal | undefined> => (await admit(ctx)) ?? check(ctx)
  return (ctx) => (ctx.state.hasWaited ? checkAgain(ctx) : undefined)
}
