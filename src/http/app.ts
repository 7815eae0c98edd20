import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import Koa, { type Context, type Middleware } from 'koa'
import { type IdempotencyKeys, keyNames } from '../commands/idempotency-key.ts'
import type { InFlight } from '../commands/turns/in-flight.ts'
import { makeEventId, type RandomHex } from '../domain/values/ids.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'
import { admit, checkAccess } from './authentication/access.ts'
import { callerOf } from './authentication/caller.ts'
import type { Gate } from './authentication/gate.ts'
import type { AsOfQuery } from './codecs/as-of.ts'
import { type Refusal, refusal, unreadStore } from './protocol/problem.ts'
import { type Call, mediaTypesOf, type Route, type RouteResult } from './protocol/route.ts'
import { isForAnyone, type Match, type MatchRequest, makeMatch, methodsOf, NO_MATCH } from './protocol/router.ts'
import { type Input, readRequest } from './request/read-request.ts'
import { headProblem, isNavigation, negotiate } from './request/request-head.ts'
import { beyondStored, type Objects, type StoredResponse } from './response/objects.ts'
import type { RefusedCall } from './response/refused-demand.ts'
import { knownMethod, NO_ROUTE, type RequestSummary, traceIdOf } from './response/request-summary.ts'
import {
  begin,
  encode,
  respond,
  send,
  sendRefusal,
  sendStream,
  setHeader,
  setPosition,
  setText,
  stateOf,
} from './response/respond.ts'
import { type UserNames, withNames } from './response/user-names.ts'
import type { Handle } from './server/pipelining.ts'
import { makeUpgrades, type Upgrades } from './server/upgrades.ts'

export interface AppDependencies {
  readonly routes: readonly Route[]
  readonly gate: Gate
  readonly idempotencyKeys: IdempotencyKeys
  readonly inFlight: InFlight
  readonly repeated: StoredResponse
  /** Called when it is known. */
  readonly onRepeated?: (requestId: string) => void
  /** Whether requests can be answered: not until everything recorded earlier has been read. */
  readonly isServing: () => boolean
  readonly views: Pick<Views, 'position' | 'stored' | 'waitForPublicPosition'>
  /** Called with the position of each write that was acknowledged. */
  readonly acknowledge?: Objects['acknowledge']
  /**
   * Resolves when everything a response can show is durable; undefined when it already is. Rejects with
   * StoreUnavailable.
   */
  readonly synced: () => Promise<void> | undefined
  readonly clock: () => number
  readonly randomHex: RandomHex
  /** Called with what a handler refused. */
  readonly onDenied?: (refused: Refusal, call: RefusedCall) => void
  readonly onError: (error: unknown, requestId: string) => void
  /** Called when a response fails because the store is unavailable. */
  readonly onUnavailable: (error: StoreUnavailable, requestId: string) => void
  /** Called for each request when its response is ready. */
  readonly onAnswered: (answered: RequestSummary, request: IncomingMessage) => void
  readonly addressOf: (request: IncomingMessage) => string
  readonly userNameOf: UserNames
  /** The name of an address in the log; undefined for requests that come from no address. */
  readonly pseudonymOf: (address: string) => string | undefined
}

const internalError = () =>
  refusal('internal', 'An unexpected error occurred. The log of the service has details under this request id.')

/** Gives every request an id, logs it once its response is ready, and sends that. */
const withRequestId =
  ({ clock, randomHex, onAnswered, addressOf }: AppDependencies): Middleware =>
  async (ctx, next) => {
    const began = performance.now()
    const requestId = makeEventId(clock(), randomHex(10))
    begin(ctx, requestId)
    stateOf(ctx).match = NO_MATCH
    await next()
    const { user, code, match: matched } = stateOf(ctx)
    const summary = {
      requestId,
      traceId: traceIdOf(ctx.req.headers.traceparent),
      method: knownMethod(ctx.req.method),
      route: matched.route?.path ?? NO_ROUTE,
      status: ctx.res.statusCode,
      code,
      milliseconds: performance.now() - began,
      user,
      address: addressOf(ctx.req),
    }
    onAnswered(summary, ctx.req)
    send(ctx)
  }

/** An unexpected error becomes a response without details. */
const catchErrors =
  ({ onError, onUnavailable }: AppDependencies): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const { requestId } = stateOf(ctx)
      const isForeseen = error instanceof StoreUnavailable
      if (isForeseen) onUnavailable(error, requestId)
      else onError(error, requestId)
      if (ctx.res.headersSent) ctx.res.destroy()
      else sendRefusal(ctx, isForeseen ? unreadStore(ctx.method) : internalError())
    }
  }

/** Finds the route of a request, which all that follows uses. A malformed head is refused. */
const matchRoute =
  (match: MatchRequest): Middleware =>
  async (ctx, next) => {
    const unclear = headProblem(ctx)
    if (unclear !== undefined) return sendRefusal(ctx, unclear)
    stateOf(ctx).match = match(ctx.method, ctx.path)
    await next()
  }

const compress: Middleware = async (ctx, next) => {
  await next()
  const encoding = encode(ctx)
  if (encoding !== undefined) await encoding
}

/** Holds a response back until all that it can show is on the disk: a crash must not take back what a client has seen. */
const durable =
  ({ synced }: AppDependencies): Middleware =>
  async (ctx, next) => {
    await next()
    // A streamed body has already waited for the disk.
    const syncing = ctx.res.headersSent || stateOf(ctx).skipsSync ? undefined : synced()
    if (syncing !== undefined) await syncing
  }

/** Refuses what no route matched: a known path with another method, or an unknown path. */
const refuseUnmatched = (ctx: Context, match: Match): void => {
  const allowed = methodsOf(match).join(', ')
  if (match.atPath.length === 0) return void sendRefusal(ctx, refusal('not_found', 'Nothing exists at this address.'))
  if (ctx.method === 'OPTIONS') setText(ctx, 200, '')
  else sendRefusal(ctx, refusal('method_not_allowed', `This address supports ${allowed}, not ${ctx.method}.`))
  setHeader(ctx, 'Allow', allowed)
}

/** Authenticates the request, except on open paths. People who open an unknown address need no credentials either. */
const authenticate =
  ({ gate, views }: AppDependencies): Middleware =>
  async (ctx, next) => {
    const { match } = stateOf(ctx)
    if (match.atPath.length === 0 && isNavigation(ctx.req.headers)) {
      stateOf(ctx).skipsSync = true
      return refuseUnmatched(ctx, match)
    }
    if (isForAnyone(match, ctx.method)) {
      if (ctx.method !== 'POST') stateOf(ctx).skipsSync = true
      return next()
    }
    const isAlwaysOpen = match.atPath.some((route) => route.isAlwaysOpen)
    const admitted = admit(ctx, gate, isAlwaysOpen)
    if (!(admitted instanceof Promise ? await admitted : admitted)) return
    await next()
    setPosition(ctx, views.position())
  }

/** Calls the route's handler. Requests with the same idempotency key run one after the other. */
const callHandler = (
  ctx: Context,
  route: Route,
  mediaType: string,
  input: Input,
  dependencies: AppDependencies,
): RouteResult => {
  const { user, requestId, match } = stateOf(ctx)
  const { bytes, idempotencyKey: rawKey, body, query, ifMatch, lastEventId, reason } = input
  const { gate, idempotencyKeys, inFlight, repeated, onRepeated, addressOf, pseudonymOf } = dependencies
  const idempotencyKey =
    rawKey === undefined ? undefined : idempotencyKeys.derive(user._id, rawKey, ctx.method, ctx.path, bytes, reason)
  const client = route.method === 'POST' ? pseudonymOf(addressOf(ctx.req)) : undefined
  const caller = () => callerOf(ctx, gate, addressOf(ctx.req))
  // Spelled out, because rest and spread cost a hundredth of a create.
  const call: Call = {
    requestId,
    user,
    params: match.params,
    body,
    query,
    ifMatch,
    lastEventId,
    reason,
    mediaType,
    idempotencyKey,
    client,
    isGone: () => ctx.req.socket.destroyed,
    caller,
  }
  if (idempotencyKey === undefined) return route.handle(call)
  return inFlight.runExclusive(keyNames(idempotencyKey), async () => {
    const before = repeated(idempotencyKey)
    if (before !== undefined && E.isRight(before)) onRepeated?.(requestId)
    return before === undefined || (E.isRight(before) && route.answersRepeats) ? route.handle(call) : before
  })
}

/** Whether a read shows less than was asked for, as lists do on a full disk. */
const isBehind = (
  { views }: Pick<AppDependencies, 'views'>,
  { after, query }: Input,
  position: PublicPosition,
): boolean => {
  if (after === undefined || position >= after) return false
  const { as_of } = (query ?? {}) as Partial<AsOfQuery>
  if (as_of === undefined) return true
  // More may have been recorded by that time than is written.
  const stored = views.stored()
  return 'instant' in as_of && stored !== undefined && stored.position < after
}

/** Handles a request, from content negotiation to the response. */
const handleMatched = (dependencies: AppDependencies): Middleware => {
  const { gate, isServing, views, synced, acknowledge, onDenied } = dependencies
  return async (ctx) => {
    const { match } = stateOf(ctx)
    const { route } = match
    if (route === undefined) return refuseUnmatched(ctx, match)
    const mediaTypes = mediaTypesOf(route)
    const mediaType = negotiate(ctx, mediaTypes)
    const isHeldStream = mediaType !== undefined && mediaType === route.heldMediaType
    const isCallAllowed = (): boolean => {
      const refused = checkAccess(ctx.req, stateOf(ctx).user, route, ctx.querystring, () => isHeldStream || isServing())
      if (refused !== undefined) sendRefusal(ctx, refused)
      return refused === undefined
    }
    if (!isCallAllowed()) return
    if (mediaType === undefined)
      return sendRefusal(ctx, refusal('not_acceptable', `The available media types are ${mediaTypes.join(' and ')}.`))
    stateOf(ctx).mediaType = mediaType
    const hasArrived = ctx.req.complete
    const input = await readRequest(ctx, route)
    if (E.isLeft(input)) return sendRefusal(ctx, input.left)
    const { after } = input.right
    const mayWait = after !== undefined && route.roles !== 'anyone'
    if (mayWait && !(await views.waitForPublicPosition(after))) {
      return sendRefusal(ctx, refusal('position_not_reached', `This instance has not reached position ${after} yet.`))
    }
    // Access may have ended or changed during a wait, which the client can make seconds long.
    if (
      (mayWait || !hasArrived) &&
      route.roles !== 'anyone' &&
      !((await admit(ctx, gate, route.isAlwaysOpen)) && isCallAllowed())
    )
      return
    const result = await callHandler(ctx, route, mediaType, input.right, dependencies)
    if (E.isLeft(result)) {
      const { user } = stateOf(ctx)
      onDenied?.(result.left, { path: route.path, user, params: match.params, body: input.right.body })
      return sendRefusal(ctx, withNames(result.left, dependencies.userNameOf))
    }
    const { body, position } = result.right
    if (route.method === 'POST') acknowledge?.(position ?? views.position())
    else if (position !== undefined && isBehind(dependencies, input.right, position)) {
      if (typeof body !== 'string' && 'leave' in body) body.leave()
      return sendRefusal(ctx, beyondStored(position))
    }
    respond(ctx, route, result.right)
    if (position !== undefined) setPosition(ctx, position)
    if (typeof body === 'string' || 'bytes' in body) return
    try {
      if (body.isHeld !== true) await synced()
    } catch (error) {
      body.leave()
      throw error
    }
    await sendStream(ctx, body)
  }
}

/** Koa without its listeners on every response, and without its own sending; see `send`. */
class PlainKoa extends Koa {
  handleRequest(ctx: Context, handle: (ctx: Context) => Promise<void>): void {
    handle(ctx).catch((error: Error) => ctx.onerror(error))
  }
}

export const makeApp = (dependencies: AppDependencies): { readonly handle: Handle; readonly upgrades: Upgrades } => {
  const koa = new PlainKoa()
  koa.silent = true
  const match = makeMatch(dependencies.routes)
  koa.use(withRequestId(dependencies))
  koa.use(catchErrors(dependencies))
  koa.use(matchRoute(match))
  koa.use(compress)
  koa.use(durable(dependencies))
  koa.use(authenticate(dependencies))
  koa.use(handleMatched(dependencies))
  return { handle: koa.callback(), upgrades: makeUpgrades(match) }
}
