import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import Koa, { type Context, type Middleware } from 'koa'
import type { InFlight } from '../commands/in-flight.ts'
import { namesOf, type RetryKey, type RetryKeys } from '../commands/retry-key.ts'
import type { Role } from '../domain/event.ts'
import { makeEventId, type RandomHex } from '../domain/ids.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'
import { type Answered, knownMethod, NO_ROUTE, traceIdOf } from './answered.ts'
import { isCrossSite } from './cross-site.ts'
import type { Gate } from './gate.ts'
import { type Refusal, refusal, unreadStore } from './problem.ts'
import { readRequest } from './read-request.ts'
import { acceptable, headProblem } from './request-head.ts'
import { answer, begin, positioned, refuse, send, stateOf, streamed } from './respond.ts'
import { type Answer, type Answering, type MediaTypes, mediaTypesOf, type Route } from './route.ts'
import { routed, unmatched } from './router.ts'

export interface AppDependencies {
  readonly routes: readonly Route[]
  readonly gate: Gate
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
  /** Told of every request when its answer is ready. */
  readonly onAnswered: (answered: Answered, request: IncomingMessage) => void
  readonly addressOf: (request: IncomingMessage) => string
}

const internal = () =>
  refusal('internal', 'Something went wrong here; the log of the service has it under this request id.')

const answeredOf = (ctx: Context, began: number, address: string): Answered => {
  const { requestId, user, route = NO_ROUTE, code } = stateOf(ctx)
  const traceId = traceIdOf(ctx.req.headers.traceparent)
  const milliseconds = performance.now() - began
  return {
    requestId,
    traceId,
    method: knownMethod(ctx.req.method),
    route,
    status: ctx.res.statusCode,
    code,
    milliseconds,
    user,
    address,
  }
}

/** Gives every request an id, and every failure that nobody foresaw an answer that tells nothing else. */
const identified =
  ({ clock, randomHex, onError, onAnswered, addressOf }: AppDependencies): Middleware =>
  async (ctx, next) => {
    const began = performance.now()
    const requestId = makeEventId(clock(), randomHex(10))
    begin(ctx, requestId)
    const unclear = headProblem(ctx)
    if (unclear !== undefined) refuse(ctx, unclear)
    else {
      try {
        await next()
      } catch (error) {
        if (error instanceof StoreUnavailable) refuse(ctx, unreadStore(ctx.method))
        else {
          onError(error, requestId)
          refuse(ctx, internal())
        }
      }
    }
    onAnswered(answeredOf(ctx, began, addressOf(ctx.req)), ctx.req)
  }

/** Lets through whoever is known, and anyone to the few addresses that are open to anyone. */
const authenticated = ({ gate, views, routes }: AppDependencies): Middleware => {
  const open = new Set(routes.filter(({ may }) => may === 'anyone').map(({ path }) => path))
  return async (ctx, next) => {
    if (open.has(ctx.path) && (ctx.method === 'GET' || ctx.method === 'HEAD')) return next()
    const asked = gate(ctx.req)
    const admitted = asked instanceof Promise ? await asked : asked
    if (E.isLeft(admitted)) return refuse(ctx, admitted.left)
    stateOf(ctx).user = admitted.right
    await next()
    positioned(ctx, views.position())
  }
}

/** Milliseconds that a read waits until this instance has come as far as it asks. */
const AFTER_WITHIN = 5_000

/** A parameter that is asked with and that this role may not use. */
const withheldFrom = (role: Role, { mayUse = {} }: Route, query: string): string | undefined => {
  if (query === '') return undefined
  const given = new URLSearchParams(query)
  return Object.keys(mayUse).find((name) => given.has(name) && !mayUse[name]?.includes(role))
}

/** Runs the checks of a request in the order in which its refusals are promised, then the route's own handler. */
const run = async (ctx: Context, route: Route, mediaTypes: MediaTypes, dependencies: AppDependencies): Answering => {
  const { user, requestId } = stateOf(ctx)
  if (route.may !== 'anyone') {
    if (!(route.may as readonly Role[]).includes(user.role)) {
      return E.left(refusal('forbidden', `The role ${user.role} may not do this; it takes ${route.may.join(' or ')}.`))
    }
    const withheld = withheldFrom(user.role, route, ctx.querystring)
    if (withheld !== undefined) {
      return E.left(refusal('forbidden', `The role ${user.role} may not use ${withheld}.`))
    }
    if (isCrossSite(ctx.req)) {
      return E.left(
        refusal('cross_site', 'A page of another site sent this; what changes something is not taken from it.'),
      )
    }
    if (!route.isAlwaysOpen && !dependencies.isOpen())
      return E.left(refusal('unavailable', 'The service is still reading its log; try again.'))
  }
  const mediaType = acceptable(ctx, mediaTypes)
  if (mediaType === undefined) return E.left(refusal('not_acceptable', `Answers are ${mediaTypes.join(' or ')}.`))
  stateOf(ctx).mediaType = mediaType
  const input = await readRequest(ctx, route)
  if (E.isLeft(input)) return input
  const { bytes, idempotencyKey, after, body, query, ifMatch, lastEventId, reason } = input.right
  if (after !== undefined && !(await dependencies.views.cameTo(after, AFTER_WITHIN))) {
    return E.left(refusal('position_not_reached', `This instance has not come to position ${after} yet.`))
  }
  const params = (ctx.params ?? {}) as Record<string, string>
  // Named one by one: to take and spread what is left over costs a hundredth of a create.
  const call = { requestId, user, params, body, query, ifMatch, lastEventId, reason, mediaType, retryKey: undefined }
  if (idempotencyKey === undefined) return route.handle(call)
  const retryKey = dependencies.retryKeys.of(user._id, idempotencyKey, ctx.method, ctx.path, bytes, reason)
  return dependencies.inFlight.inTurn(
    namesOf(retryKey),
    async () => dependencies.repeated(retryKey) ?? route.handle({ ...call, retryKey }),
  )
}

const handled = (route: Route, dependencies: AppDependencies): Middleware => {
  const mediaTypes = mediaTypesOf(route)
  return async (ctx) => {
    stateOf(ctx).route = route.path
    const result = await run(ctx, route, mediaTypes, dependencies)
    if (E.isLeft(result)) return refuse(ctx, result.left)
    const { body, position } = result.right
    answer(ctx, route, result.right)
    if (position !== undefined) positioned(ctx, position)
    if (typeof body !== 'string') await streamed(ctx, body)
  }
}

/** A Koa that sends what was answered and nothing else, and lets the listeners be that it attaches to every response. */
class PlainKoa extends Koa {
  async handleRequest(ctx: Context, handle: (ctx: Context) => Promise<void>): Promise<void> {
    try {
      await handle(ctx)
      send(ctx)
    } catch (error) {
      ctx.onerror(error as Error)
    }
  }
}

export const makeApp = (dependencies: AppDependencies): Koa => {
  const app = new PlainKoa()
  app.silent = true
  app.use(identified(dependencies))
  app.use(authenticated(dependencies))
  app.use(routed(dependencies.routes, (route) => handled(route, dependencies)))
  app.use(unmatched)
  return app
}
