import * as E from 'fp-ts/lib/Either.js'
import type { Role } from '../../domain/events/user.ts'
import type { Views } from '../../read-models/views.ts'
import type { User } from '../../users/user.ts'
import { namesIn } from '../codecs/query.ts'
import type { Context, Middleware } from '../protocol/context.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import { mediaTypesOf, type Route } from '../protocol/route.ts'
import type { Routes } from '../protocol/router.ts'
import { negotiate } from '../request/request-head.ts'
import { respondWithRefusal, setPosition } from '../response/respond.ts'
import { isCrossSite } from './cross-site.ts'
import type { Gate } from './gate.ts'

interface AccessDependencies {
  readonly gate: Pick<Gate, 'admit'>
  readonly isServing: () => boolean
  readonly views: Pick<Views, 'position'>
}

/** Finds the user by the credentials of a request, or refuses it. The response shows the position of the views. */
export const authenticate =
  ({ gate, views }: AccessDependencies, routes: Routes): Middleware =>
  async (ctx, next) => {
    const admitting = gate.admit(ctx.req, () => routes.at(ctx).some(({ isAlwaysOpen }) => isAlwaysOpen))
    // Verified credentials are admitted at once: awaiting them would cost a read 4 % of its time.
    const admitted = admitting instanceof Promise ? await admitting : admitting
    if (E.isLeft(admitted)) {
      const route = routes.of(ctx)
      if (route !== undefined) ctx.state.route = route
      return respondWithRefusal(ctx, admitted.left)
    }
    ctx.state.user = admitted.right
    await next()
    if (!ctx.headerSent && ctx.state.position === undefined) setPosition(ctx, views.position())
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
  const { parameterRoles = {} } = route
  const withheld = Object.keys(parameterRoles).filter((name) => !parameterRoles[name]?.includes(role))
  const names = query === '' || withheld.length === 0 ? [] : namesIn(query)
  const used = withheld.find((name) => names.includes(name))
  return used === undefined ? undefined : refusal('forbidden', `The role ${role} may not use ${used}.`)
}

/** Checks everything that can refuse a request whatever its content, in the documented order. */
const makeCheckAccess = (route: Route, { isServing }: Pick<AccessDependencies, 'isServing'>) => {
  const isPublicRead = route.roles === 'anyone' && route.method === 'GET'
  return (ctx: Context, mediaType: string | undefined): Refusal | undefined => {
    // A request that anyone may send has no user.
    const refused =
      route.roles === 'anyone' ? undefined : checkRole(ctx.state.user, route, route.roles, ctx.querystring)
    if (refused !== undefined) return refused
    if (isCrossSite(ctx.req)) {
      return refusal('cross_site', 'A page of another site sent this request. Such requests may not change anything.')
    }
    const isHeld = mediaType !== undefined && mediaType === route.heldMediaType
    if (isPublicRead || route.isAlwaysOpen || isHeld || isServing()) return undefined
    return refusal('unavailable', 'The service is still reading its log. Try again.')
  }
}

/** Refuses those who may not call a route, and those who do not accept its media types. */
export const allow = (route: Route, dependencies: AccessDependencies): Middleware => {
  const checkAccess = makeCheckAccess(route, dependencies)
  const mediaTypes = mediaTypesOf(route)
  return (ctx, next) => {
    ctx.state.route = route
    const mediaType = negotiate(ctx, mediaTypes)
    const refused = checkAccess(ctx, mediaType)
    if (refused !== undefined) return respondWithRefusal(ctx, refused)
    if (mediaType === undefined)
      return respondWithRefusal(
        ctx,
        refusal('not_acceptable', `The available media types are ${mediaTypes.join(' and ')}.`),
      )
    ctx.state.mediaType = mediaType
    return next()
  }
}

/** Refuses those whose access has ended or changed while their request waited. */
export const stillAllow = (route: Route, dependencies: AccessDependencies): Middleware => {
  const checkAccess = makeCheckAccess(route, dependencies)
  const isStillAllowed = async (ctx: Context): Promise<boolean> => {
    const admitted = await dependencies.gate.admit(ctx.req, () => route.isAlwaysOpen === true)
    if (E.isRight(admitted)) ctx.state.user = admitted.right
    const refused = E.isLeft(admitted) ? admitted.left : checkAccess(ctx, ctx.state.mediaType)
    if (refused !== undefined) respondWithRefusal(ctx, refused)
    return refused === undefined
  }
  return (ctx, next) => {
    if (!ctx.state.hasWaited) return next()
    return isStillAllowed(ctx).then((isAllowed) => (isAllowed ? next() : undefined))
  }
}
