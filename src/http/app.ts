import Koa from 'koa'
import { makeRunExclusive } from '../commands/turns.ts'
import { makeEventId } from '../domain/values/ids.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'
import { allow, authenticate, stillAllow } from './authentication/access.ts'
import { type HandleParts, handle, type RunExclusive } from './handle.ts'
import type { Context, Guard, Middleware, State } from './protocol/context.ts'
import { refusal, unreadStore } from './protocol/problem.ts'
import type { Route } from './protocol/route.ts'
import { makeRouter, pathsOf } from './protocol/router.ts'
import { parseBody } from './request/read-body.ts'
import { readInput, waitForPosition } from './request/read-request.ts'
import { headProblem } from './request/request-head.ts'
import { compress } from './response/compress.ts'
import { knownMethod, NO_ROUTE, type RequestSummary, traceIdOf } from './response/request-summary.ts'
import { begin, isNavigation, positionHeader, respondWithRefusal } from './response/respond.ts'
import { discardUnread } from './response/unread-body.ts'
import type { Parts } from './routes/parts.ts'
import type { Handle } from './server/listen.ts'

export interface AppParts extends HandleParts, Pick<Parts, 'clock' | 'randomHex'> {
  /** Whether requests can be answered: not until everything recorded earlier has been read. */
  readonly isServing: () => boolean
  readonly views: Pick<Views, 'position' | 'waitForPublicPosition'>
  readonly onError: (error: unknown, requestId: string) => void
  /** Called when a response fails because the store is unavailable. */
  readonly onUnavailable: (error: StoreUnavailable, requestId: string) => void
  /** Called for each request when its response is ready. */
  readonly onAnswered: (answered: RequestSummary) => void
}

/** Gives a request its id, and logs it once its response is ready. All but streams have the service's time in `Date`. */
const identify =
  ({ clock, randomHex, onAnswered, addressOf }: AppParts): Middleware =>
  async (ctx, next) => {
    const began = performance.now()
    const requestId = makeEventId(clock(), randomHex(10))
    ctx.state.requestId = requestId
    begin(ctx)
    await next()
    const { user, code, route } = ctx.state
    onAnswered({
      requestId,
      traceId: traceIdOf(ctx.req.headers.traceparent),
      method: knownMethod(ctx.method),
      route: route?.path ?? NO_ROUTE,
      status: ctx.status,
      code,
      milliseconds: performance.now() - began,
      user,
      address: addressOf(ctx.req),
    })
    if (!ctx.headerSent) ctx.set('Date', new Date(clock()).toUTCString())
    if (ctx.respond !== false) discardUnread(ctx.req, ctx.res)
  }

const internalError = () =>
  refusal('internal', 'An unexpected error occurred. The log of the service has details under this request id.')

/** An unexpected error becomes a response without details. */
const catchErrors =
  ({ onError, onUnavailable }: AppParts): Middleware =>
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

/**
 * Holds a response back until all that it can show is on the disk: a crash must not take back what a client has seen.
 * Adds the position that it shows, for those with credentials.
 */
const durable =
  ({ synced, views }: AppParts): Middleware =>
  async (ctx, next) => {
    await next()
    // A streamed body has already waited for the disk.
    if (ctx.headerSent) return
    const { user, route, position } = ctx.state
    const isForUser = user !== undefined && route?.roles !== 'anyone'
    if (isForUser && position === undefined) ctx.set(positionHeader(views.position()))
    const syncing = synced()
    if (syncing !== undefined) await syncing
  }

/** Refuses a request by what its head says alone. */
const checkHead: Middleware = (ctx, next) => {
  const refused = headProblem(ctx)
  return refused === undefined ? next() : respondWithRefusal(ctx, refused)
}

/** Refuses a request for the first reason that there is, or lets it go on. */
const guard =
  (guards: readonly Guard[], route?: Route): Middleware =>
  async (ctx, next) => {
    if (route !== undefined) ctx.state.route = route
    for (const check of guards) {
      const checking = check(ctx)
      // Most are there at once: awaiting them would cost a read 4 % of its time.
      const refused = checking instanceof Promise ? await checking : checking
      if (refused !== undefined) return respondWithRefusal(ctx, refused)
    }
    await next()
  }

/** What is done with the requests of a route, in this order. */
const chainOf = <P extends AppParts>(route: Route<P>, parts: P, runExclusive: RunExclusive): readonly Middleware[] => {
  const isOpen = route.roles === 'anyone'
  const guards = [
    ...(isOpen ? [] : [authenticate(parts, route)]),
    allow(route, parts),
    ...(route.body === undefined ? [] : [parseBody(route)]),
    readInput(route),
    ...(isOpen ? [] : [waitForPosition(parts), stillAllow(route, parts)]),
  ]
  const answer = [guard(guards, route), handle(route, parts, runExclusive)]
  // What anyone may read is not in the log.
  return isOpen && route.method === 'GET' ? answer : [durable(parts), ...answer]
}

/** The paths and methods of the routes at the path of a request, of which its router tells. */
type Matched = { readonly matched?: readonly { readonly path: string; readonly methods: string[] }[] }

/** Refuses what no route matched: a known path with another method, or an unknown path. */
const refuseUnmatched: Middleware = (ctx: Context & Matched) => {
  const methods = (ctx.matched ?? []).flatMap((layer) => layer.methods)
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
const refuseOpenly = (routes: readonly Route[]): Middleware => {
  const readable = new Set(
    routes.filter(({ method, roles }) => method === 'GET' && roles === 'anyone').flatMap(pathsOf),
  )
  return (ctx: Context & Matched, next) => {
    const { matched = [] } = ctx
    const isUnknown = matched.length === 0 && isNavigation(ctx.req.headers)
    const isOpen = isUnknown || (ctx.method === 'OPTIONS' && matched.some(({ path }) => readable.has(path)))
    return isOpen ? refuseUnmatched(ctx, next) : next()
  }
}

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

/** The application that answers routes. @param parts of a service, which their handlers get too */
export const makeApp = <P extends AppParts>(routes: readonly Route<P>[], parts: P): Handle => {
  const runExclusive = makeRunExclusive()
  const app = new LeanKoa()
  app.use(identify(parts))
  app.use(catchErrors(parts))
  app.use(checkHead)
  app.use(compress)
  app.use(makeRouter(routes, (route) => chainOf(route, parts, runExclusive)))
  app.use(refuseOpenly(routes))
  app.use(durable(parts))
  app.use(guard([authenticate(parts)]))
  app.use(refuseUnmatched)
  return app.callback()
}
