import * as E from 'fp-ts/lib/Either.js'
import { invalid } from '../../domain/failure.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { DelayedStart } from '../../feed/stream.ts'
import type { LimitReached, Subscription } from '../../feed/subscribers.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import { LATEST } from '../codecs/as-of.ts'
import { inQuery } from '../codecs/query.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import type { Parts } from './parts.ts'

/** How streams of the log begin. */

export const EVENT_STREAM = 'text/event-stream; charset=utf-8'

/** Prevents proxies from buffering or transforming the stream. */
const HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' }

/** Why a stream is refused, by the limit that was reached. */
export const STREAM_REFUSALS: Readonly<Record<LimitReached, Refusal>> = {
  of_user: refusal('too_many_subscribers', 'This user has reached the limit of event streams. Close one.'),
  of_all: refusal('too_many_subscribers', 'The service has reached its limit of event streams. Try again.'),
  held: refusal('unavailable', 'Too many event streams are waiting for the service to be ready. Try again.'),
  closed: refusal('unavailable', 'The service is stopping.'),
}

type PositionOrLatest = PublicPosition | typeof LATEST

/** A request for a stream that may continue a former one. */
type ResumableCall = Pick<Call<unknown, { readonly after?: PositionOrLatest | undefined }>, 'query' | 'lastEventId'>

/** Where a request says where to begin. */
type PositionName = 'after' | 'before' | 'Last-Event-ID'

export const positionProblem = (name: PositionName, detail: string): Refusal =>
  invalid([{ ...inQuery(name, detail), in: name === 'Last-Event-ID' ? 'header' : 'query' }])

const notReached = (after: string | number): Refusal =>
  refusal('position_not_reached', `This instance has not reached position ${after} yet.`)

/** A reconnecting client repeats its first request, so Last-Event-ID takes precedence over `after`. */
export const requestedPosition = (
  { query, lastEventId }: ResumableCall,
  byDefault: PositionOrLatest,
): PositionOrLatest => lastEventId ?? query.after ?? byDefault

/** Waits for a position this instance has not reached; refuses one beyond the log. */
export const reachPosition = async (
  { views, store }: Parts,
  position: PublicPosition,
  name: PositionName,
): Promise<E.Either<Refusal, PublicPosition>> => {
  if (position <= views.position()) return E.right(position)
  const isAtHead = await waitForHead(views, store)
  if (position <= views.position()) return E.right(position)
  return E.left(isAtHead ? positionProblem(name, 'is beyond the end of the log') : notReached(position))
}

/** The position after which to begin. */
export const startPosition = async (
  parts: Parts,
  call: ResumableCall,
  byDefault: PositionOrLatest,
): Promise<E.Either<Refusal, PublicPosition>> => {
  const { views, store } = parts
  const after = requestedPosition(call, byDefault)
  if (after === LATEST) {
    return (await waitForHead(views, store)) ? E.right(views.position()) : E.left(notReached(LATEST))
  }
  return reachPosition(parts, after, call.lastEventId === undefined ? 'after' : 'Last-Event-ID')
}

/** Whether a stream that is refused may begin later. */
export const isEarly = ({ code }: Refusal): boolean => code === 'position_not_reached'

/** Holds a stream until it can begin, because a browser never retries a refused one. */
export const makeDelayedStart = (parts: Parts, call: ResumableCall, byDefault: PositionOrLatest): DelayedStart => ({
  isReady: parts.isFollowing,
  begin: async () => {
    const begun = await startPosition(parts, call, byDefault)
    if (E.isRight(begun)) return begun.right
    // A position beyond the end of the log belongs to another log.
    return isEarly(begun.left) ? undefined : 'another_log'
  },
})

/** Begins a stream, or holds it if it cannot begin yet. */
export const beginOrHold = async (
  { isFollowing }: Parts,
  begin: () => RouteResult,
  hold: () => RouteResult,
): RouteResult => {
  if (!isFollowing()) return hold()
  try {
    const response = await begin()
    return E.isLeft(response) && isEarly(response.left) ? hold() : response
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return hold()
  }
}

/** The response of a stream that begins now, at a position, or is held. */
export const streamResponse = (
  subscribed: E.Either<LimitReached, Subscription>,
  position: PublicPosition | 'held',
  refusals: Readonly<Record<LimitReached, Refusal>> = STREAM_REFUSALS,
): Awaited<RouteResult> => {
  if (E.isLeft(subscribed)) return E.left(refusals[subscribed.left])
  const response = { status: 200, headers: HEADERS } as const
  return position === 'held'
    ? E.right({ ...response, body: { ...subscribed.right, isHeld: true } })
    : E.right({ ...response, body: subscribed.right, position })
}
