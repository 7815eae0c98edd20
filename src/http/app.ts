import Koa from 'koa'
import { makeEventId, type RandomHex } from '../domain/values/ids.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'
import { allow, authenticate, stillAllow } from './authentication/access.ts'
import { type HandleDependencies, handle } from './handle.ts'
import { isNavigation } from './protocol/browser.ts'
import type { Context, Middleware, State } from './protocol/context.ts'
import { refusal, unreadStore } from './protocol/problem.ts'
import type { Route } from './protocol/route.ts'
import { makeRoutes, type Routes } from './protocol/router.ts'
import { parseBody } from './request/read-body.ts'
import { readInput, waitForPosition } from './request/read-request.ts'
import { headProblem } from './request/request-head.ts'
import { compress } from './response/compress.ts'
import { knownMethod, NO_ROUTE, type RequestSummary, traceIdOf } from './response/request-summary.ts'
import { begin, respondWithRefusal } from './response/respond.ts'
import { discardUnread } from './response/unread-body.ts'
import type { Handle } from './server/bursts.ts'

export interface AppDependencies extends HandleDependencies {
  readonly routes: readonly Route[]
  /** Whether requests can be answered: not until everything recorded earlier has been read. */
  readonly isServing: () => boolean
  readonly views: Pick<Views, 'position' | 'stored' | 'waitForPublicPosition'>
  readonly clock: () => number
  readonly randomHex: RandomHex
  readonly onError: (error: unknown, requestId: string) => void
  /** Called when a response fails because the store is unavailable. */
  readonly onUnavailable: (error: StoreUnavailable, requestId: string) => void
  /** Called for each request when its response is ready. */
  readonly onAnswered: (answered: RequestSummary) => void
}

/** Gives every request an id, and logs it once its response is ready. */
const identify =
  ({ clock, randomHex, onAnswered, addressOf }: AppDependencies): Middleware =>
  async (ctx, next) => {
    const began = performance.now()
    const requestId = makeEventId(clock(), randomHex(10))
    ctx.state.requestId = requestId
    begin(ctx)
    await next()
    const { user, code, route } = ctx.state
    const summary = {
      requestId,
      traceId: traceIdOf(ctx.req.headers.traceparent),
      method: knownMethod(ctx.method),
      route: route?.path ?? NO_ROUTE,
      status: ctx.status,
      code,
      milliseconds: performance.now() - began,
      user,
      address: addressOf(ctx.req),
    }
    onAnswered(summary)
    if (ctx.respond !== false) discardUnread(ctx.req, ctx.res)
  }

const internalError = () =>
  refusal('internal', 'An unexpected error occurred. The log of the service has details under this request id.')

/** An unexpected error becomes a response without details. */
const catchErrors =
  ({ onError, onUnavailable }: AppDependencies): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { requestId } = ctx.state
      const isForeseen = error instanceof StoreUnavailable
      if (isForeseen) onUnavailable(error, requestId)
      else onError(error, requestId)
      if (ctx.headerSent) ctx.res.destroy()
      else respondWithRefusal(ctx, isForeseen ? unreadStore(ctx.method) : internalError())
    }
  }

const checkHead: Middleware = (ctx, next) => {
  const unclear = headProblem(ctx)
  return unclear === undefined ? next() : respondWithRefusal(ctx, unclear)
}

/** Holds a response back until all that it can show is on the disk: a crash must not take back what a client has seen. */
const durable =
  ({ synced }: AppDependencies): Middleware =>
  async (ctx, next) => {
    await next()
    // A streamed body has already waited for the disk.
    const syncing = ctx.headerSent ? undefined : synced()
    if (syncing !== undefined) await syncing
  }

/** The methods of all routes at the path of a request, of which its routers tell. */
const methodsOf = ({ matched = [] }: Context & { readonly matched?: readonly { readonly methods: string[] }[] }) =>
  matched.flatMap(({ methods }) => methods)

/** Refuses what no route matched: a known path with another method, or an unknown path. */
const refuseUnmatched: Middleware = (ctx) => {
  const methods = methodsOf(ctx)
  if (methods.length === 0) return respondWithRefusal(ctx, refusal('not_found', 'Nothing exists at this address.'))
  const allowed = [...new Set([...methods, 'OPTIONS'])].sort().join(', ')
  if (ctx.method === 'OPTIONS') {
    ctx.status = 200
    ctx.body = ''
    ctx.remove('Content-Type')
  } else respondWithRefusal(ctx, refusal('method_not_allowed', `This address supports ${allowed}, not ${ctx.method}.`))
  ctx.set('Allow', allowed)
}

/** What needs no credentials either: OPTIONS of what anyone may read, and a page for people where nothing is. */
const refuseOpenly =
  ({ at }: Routes): Middleware =>
  (ctx, next) => {
    const methods = methodsOf(ctx)
    const isUnknown = isNavigation(ctx.req.headers) && methods.length === 0 && at(ctx).length === 0
    const isOpen = isUnknown || (ctx.method === 'OPTIONS' && methods.includes('GET'))
    return isOpen ? refuseUnmatched(ctx, next) : next()
  }

/** What is done with the requests of a route, in this order. */
const guards = (route: Route, dependencies: AppDependencies): readonly Middleware[] => [
  allow(route, dependencies),
  ...(route.body === undefined ? [] : [parseBody(route)]),
  readInput(route),
  ...(route.method === 'GET' && route.roles !== 'anyone' ? [waitForPosition(dependencies)] : []),
]

/**
 * Koa without its listeners on every response, which cost 1.5 us, 5 % of a read. Node's server minds broken connections,
 * and `catchErrors` errors.
 */
class LeanKoa extends Koa<State> {
  async handleRequest(ctx: Context, handle: (ctx: Context) => Promise<void>): Promise<void> {
    try {
      await handle(ctx)
      // Node omits the body for HEAD.
      if (ctx.respond !== false) ctx.res.end(ctx.body)
    } catch (error) {
      ctx.onerror(error as Error)
    }
  }
}

export const makeApp = (dependencies: AppDependencies): Handle => {
  const { routes } = dependencies
  const app = new LeanKoa()
  const open = makeRoutes(
    routes.filter(({ roles }) => roles === 'anyone'),
    (route) => [
      ...(route.method === 'POST' ? [durable(dependencies)] : []),
      ...guards(route, dependencies),
      handle(route, dependencies),
    ],
  )
  const guarded = makeRoutes(
    routes.filter(({ roles }) => roles !== 'anyone'),
    (route) => [...guards(route, dependencies), stillAllow(route, dependencies), handle(route, dependencies)],
  )
  app.use(identify(dependencies))
  app.use(catchErrors(dependencies))
  app.use(checkHead)
  app.use(compress)
  app.use(open.dispatch)
  app.use(refuseOpenly(guarded))
  app.use(durable(dependencies))
  app.use(authenticate(dependencies, guarded))
  app.use(guarded.dispatch)
  app.use(refuseUnmatched)
  return app.callback()
}
