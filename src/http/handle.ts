import * as E from 'fp-ts/lib/Either.js'
import { type IdempotencyKeys, keyNames } from '../commands/idempotency-key.ts'
import type { makeRunExclusive } from '../commands/turns.ts'
import type { PublicPosition } from '../domain/values/position.ts'
import type { Views } from '../read-models/views.ts'
import type { AsOfQuery } from './codecs/lists.ts'
import type { Call, Input, RouteResult } from './protocol/call.ts'
import type { Context, Middleware } from './protocol/context.ts'
import type { Refusal } from './protocol/problem.ts'
import type { Route } from './protocol/route.ts'
import { negotiate } from './request/request-head.ts'
import { beyondStored, type Objects } from './response/objects.ts'
import type { RefusedCall } from './response/refused-demand.ts'
import { respond, respondWithRefusal, sendStream } from './response/respond.ts'
import { withNames } from './response/visibility.ts'
import type { Parts } from './routes/parts.ts'
import { upgradedOf } from './server/listen.ts'

/** What all requests are answered with, whatever their routes. */
export interface HandleParts extends Pick<Parts, 'repeated' | 'nameOf' | 'gate' | 'addressOf'> {
  readonly views: Pick<Views, 'position'>
  readonly idempotencyKeys: IdempotencyKeys
  /** Called when it is known. */
  readonly onRepeated?: (requestId: string) => void
  /** Called with the position of each write that was acknowledged. */
  readonly acknowledge?: Objects['acknowledge']
  /**
   * Resolves when everything a response can show is durable; undefined when it already is. Rejects with
   * StoreUnavailable.
   */
  readonly synced: () => Promise<void> | undefined
  /** Called with what a handler refused. */
  readonly onDenied?: (refused: Refusal, call: RefusedCall) => void
  /** The name of an address in the log; undefined for requests that come from no address. */
  readonly pseudonymOf: (address: string) => string | undefined
}

export type RunExclusive = ReturnType<typeof makeRunExclusive>

/** In a query `me` is whoever asks, as in paths. No user has that id. */
const withOwnId = (query: unknown, user: Call['user']): unknown =>
  Object(query).user_id === 'me' ? { ...Object(query), user_id: user._id } : query

/** Calls the handler. Requests with the same idempotency key run one after the other. */
const makeCallHandler = <P extends HandleParts>(route: Route<P>, parts: P, runExclusive: RunExclusive) => {
  const { idempotencyKeys, repeated, onRepeated, addressOf, pseudonymOf } = parts
  return (ctx: Context): RouteResult => {
    const { user, requestId, mediaType, input, bytes = '' } = ctx.state
    const { retryKey: key, reason } = input
    const idempotencyKey =
      key === undefined ? undefined : idempotencyKeys.derive(user._id, key, ctx.method, ctx.path, bytes, reason)
    const call: Call = {
      requestId,
      user,
      mediaType,
      idempotencyKey,
      id: ctx.params.id ?? '',
      params: ctx.params,
      client: route.method === 'POST' ? pseudonymOf(addressOf(ctx.req)) : undefined,
      upgraded: route.isUpgrade && upgradedOf(ctx.req, ctx.res),
      request: ctx.req,
      accepts: (mediaTypes) => negotiate(ctx, mediaTypes),
      setUser: (sender) => {
        ctx.state.user = sender
      },
      // Last, because what follows a spread is added one by one.
      ...input,
      query: withOwnId(input.query, user),
    }
    if (idempotencyKey === undefined) return route.handler(parts, call)
    return runExclusive(keyNames(idempotencyKey), async () => {
      const before = repeated(idempotencyKey)
      if (before !== undefined && E.isRight(before)) onRepeated?.(requestId)
      return before === undefined || (E.isRight(before) && route.answersRepeats) ? route.handler(parts, call) : before
    })
  }
}

/** Whether a read shows less than was asked for, as lists do on a full disk. */
const isBehind = ({ after, query }: Input, position: PublicPosition): boolean =>
  after !== undefined && position < after && (query as Partial<AsOfQuery> | undefined)?.as_of === undefined

/** Answers a request as the handler of its route does. */
export const handle = <P extends HandleParts>(route: Route<P>, parts: P, runExclusive: RunExclusive): Middleware => {
  const { views, synced, acknowledge, onDenied, nameOf } = parts
  const callHandler = makeCallHandler(route, parts, runExclusive)
  return async (ctx) => {
    const { input } = ctx.state
    const result = await callHandler(ctx)
    if (E.isLeft(result)) {
      onDenied?.(result.left, { path: route.path, user: ctx.state.user, id: ctx.params.id ?? '', body: input.body })
      return respondWithRefusal(ctx, withNames(result.left, nameOf))
    }
    const { body, position } = result.right
    const stream = typeof body === 'string' || 'bytes' in body ? undefined : body
    if (route.method === 'POST') acknowledge?.(position ?? views.position())
    else if (position !== undefined && isBehind(input, position)) {
      stream?.leave()
      return respondWithRefusal(ctx, beyondStored(position))
    }
    respond(ctx, route, result.right)
    if (stream === undefined) return
    try {
      if (stream.isHeld !== true) await synced()
    } catch (error) {
      stream.leave()
      throw error
    }
    await sendStream(ctx, stream)
  }
}
