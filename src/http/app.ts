import { Router } from '@koa/router'
import * as E from 'fp-ts/lib/Either.js'
import Koa, { type Context, type Middleware } from 'koa'
import type { InFlight } from '../commands/in-flight.ts'
import type { RetryKey, RetryKeys } from '../commands/retry-key.ts'
import type { Role } from '../domain/event.ts'
import { makeEventId, type RandomHex } from '../domain/ids.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'
import type { Authenticator } from '../users/authenticate.ts'
import type { User } from '../users/users-file.ts'
import { isKnownToClient } from './conditional.ts'
import { formatPosition } from './position.ts'
import { codes, isProblemJsonWanted, problemBody, type Refusal, refusal, unreadStore } from './problem.ts'
import { readRequest } from './read-request.ts'
import { acceptsJson, headProblem } from './request-head.ts'
import type { Answer, Answering, Route } from './route.ts'

export interface AppDependencies {
  readonly routes: readonly Route[]
  readonly authenticator: Authenticator
  readonly retryKeys: RetryKeys
  readonly inFlight: InFlight
  /** The answer that a retry key got before, if it is known here. */
  readonly repeated: (key: RetryKey) => E.Either<Refusal, Answer> | undefined
  /** Whether requests can be answered: not before everything has been read that was recorded before. */
  readonly isOpen: () => boolean
  readonly views: Pick<Views, 'position' | 'cameTo'>
  readonly clock: () => number
  readonly randomHex: RandomHex
  readonly onError: (error: unknown, requestId: string) => void
}

interface State {
  requestId: string
  user: User
}

const stateOf = (ctx: Context): State => ctx.state as State

const refuse = (ctx: Context, refused: Refusal): void => {
  const { status, retryAfter } = codes[refused.code]
  ctx.status = status
  ctx.set('Content-Type', isProblemJsonWanted(ctx.get('Accept')) ? 'application/problem+json' : 'application/json')
  if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter))
  if (refused.code === 'unauthenticated') ctx.set('WWW-Authenticate', 'Basic realm="berth", charset="UTF-8"')
  // A client sees no answer before it could send its body, and none at all if the connection ends under its hands.
  if (refused.code === 'body_too_large') ctx.req.resume()
  ctx.body = problemBody(refused, stateOf(ctx).requestId)
}

const answer = (ctx: Context, { status, body, headers }: Answer): void => {
  if (headers !== undefined) ctx.set(headers)
  if (
    headers?.ETag !== undefined &&
    ctx.method !== 'POST' &&
    isKnownToClient(ctx.req.headers['if-none-match'], headers.ETag)
  ) {
    ctx.status = 304
    return
  }
  ctx.status = status
  ctx.set('Content-Type', 'application/json')
  ctx.body = body
}

/** Says to someone who is known which place in the log the answer reflects. */
const positioned = (ctx: Context, position: number): void => {
  if (stateOf(ctx).user !== undefined && position >= 0) ctx.set('Berth-Position', formatPosition(position))
}

const internal = () =>
  refusal('internal', 'Something went wrong here; the log of the service has it under this request id.')

/** Gives every request an id, and every failure that nobody foresaw an answer that tells nothing else. */
const identified =
  ({ clock, randomHex, onError }: AppDependencies): Middleware =>
  async (ctx, next) => {
    const requestId = makeEventId(clock(), randomHex(10))
    stateOf(ctx).requestId = requestId
    ctx.set('X-Request-Id', requestId)
    const unclear = headProblem(ctx)
    if (unclear !== undefined) return refuse(ctx, unclear)
    try {
      await next()
    } catch (error) {
      if (error instanceof StoreUnavailable) return refuse(ctx, unreadStore(ctx.method))
      onError(error, requestId)
      refuse(ctx, internal())
    }
  }

const authenticated =
  ({ authenticator, views }: AppDependencies): Middleware =>
  async (ctx, next) => {
    const checked = authenticator.authenticate(ctx.req.headers.authorization)
    const result = checked instanceof Promise ? await checked : checked
    switch (result.kind) {
      case 'user':
        stateOf(ctx).user = result.user
        await next()
        if (!ctx.res.hasHeader('Berth-Position')) positioned(ctx, views.position())
        return
      case 'overloaded':
        return refuse(ctx, refusal('unavailable', 'Too many credentials are being checked at once; try again.'))
      default:
        return refuse(ctx, refusal('unauthenticated', 'Send the name and password of a user with the Basic scheme.'))
    }
  }

/** Milliseconds that a read waits until this instance has come as far as it asks. */
const AFTER_WITHIN = 5_000

/** Runs the checks of a request in the order in which its refusals are promised, then the route's own handler. */
const run = async (ctx: Context, route: Route, dependencies: AppDependencies): Answering => {
  const { user, requestId } = stateOf(ctx)
  if (route.may !== 'anyone') {
    if (!(route.may as readonly Role[]).includes(user.role)) {
      return E.left(refusal('forbidden', `The role ${user.role} may not do this; it takes ${route.may.join(' or ')}.`))
    }
    if (!dependencies.isOpen())
      return E.left(refusal('unavailable', 'The service is still reading its log; try again.'))
  }
  if (!acceptsJson(ctx)) return E.left(refusal('not_acceptable', 'Answers are application/json.'))
  const input = await readRequest(ctx, route)
  if (E.isLeft(input)) return input
  const { bytes, idempotencyKey, after, body, ifMatch } = input.right
  if (after !== undefined && !(await dependencies.views.cameTo(after, AFTER_WITHIN))) {
    return E.left(refusal('position_not_reached', `This instance has not come to position ${after} yet.`))
  }
  const params = ctx.params as Record<string, string>
  const call = { requestId, user, params, body, ifMatch, retryKey: undefined }
  if (idempotencyKey === undefined) return route.handle(call)
  const retryKey = dependencies.retryKeys.of(user._id, idempotencyKey, ctx.method, ctx.path, bytes)
  return dependencies.inFlight.inTurn(
    retryKey.current.slice(0, 22),
    async () => dependencies.repeated(retryKey) ?? route.handle({ ...call, retryKey }),
  )
}

const handled =
  (route: Route, dependencies: AppDependencies): Middleware =>
  async (ctx, next) => {
    if (!layersOf(ctx).some(({ path }) => path === route.path)) return unmatched(ctx, next)
    const result = await run(ctx, route, dependencies)
    if (E.isLeft(result)) return refuse(ctx, result.left)
    answer(ctx, result.right)
    if (result.right.position !== undefined) positioned(ctx, result.right.position)
  }

type Layer = { readonly path: unknown; readonly methods: readonly string[] }

/** What the router knows of this address. One written out whole is no object's: `create` is the id of nothing. */
const layersOf = (ctx: Context): readonly Layer[] => {
  const layers = (ctx.matched ?? []) as readonly Layer[]
  const exact = layers.filter(({ path }) => path === ctx.path)
  return exact.length > 0 ? exact : layers
}

/** What no route took: a known address with another method, or an unknown one. */
const unmatched: Middleware = (ctx) => {
  const layers = layersOf(ctx)
  if (layers.length === 0) return refuse(ctx, refusal('not_found', 'There is nothing at this address.'))
  const allowed = [...new Set(layers.flatMap(({ methods }) => methods)), 'OPTIONS'].sort().join(', ')
  ctx.set('Allow', allowed)
  if (ctx.method !== 'OPTIONS') {
    return refuse(ctx, refusal('method_not_allowed', `This address takes ${allowed}, not ${ctx.method}.`))
  }
  ctx.status = 204
}

const routerOf = (routes: readonly Route[], dependencies: AppDependencies): Middleware => {
  // Addresses are exact: in another case, or with a slash behind, they are others.
  const router = new Router({ sensitive: true, strict: true })
  for (const route of routes) router.register(route.path, [route.method], handled(route, dependencies))
  return router.routes() as unknown as Middleware
}

export const makeApp = (dependencies: AppDependencies): Koa => {
  const app = new Koa()
  app.silent = true
  const open = dependencies.routes.filter(({ may }) => may === 'anyone')
  const guarded = dependencies.routes.filter(({ may }) => may !== 'anyone')
  app.use(identified(dependencies))
  app.use(routerOf(open, dependencies))
  app.use(authenticated(dependencies))
  app.use(routerOf(guarded, dependencies))
  app.use(unmatched)
  return app
}
