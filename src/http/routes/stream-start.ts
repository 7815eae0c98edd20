import * as E from 'fp-ts/lib/Either.js'
import { invalid } from '../../domain/failure.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { Hold } from '../../feed/hold.ts'
import type { LimitReached } from '../../feed/subscribers.ts'
import type { Subscription } from '../../feed/subscriptions.ts'
import type { Views } from '../../read-models/views.ts'
import { LATEST } from '../codecs/as-of.ts'
import { inQuery } from '../codecs/query.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'

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

export interface StartDependencies {
  readonly views: Pick<Views, 'position' | 'mark' | 'waitForPosition' | 'waitForStorePosition'>
  /** The store position of the log's last event. */
  readonly head: () => Promise<number>
  /** Whether requests can be answered. */
  readonly isOpen: () => boolean
}

type Place = number | typeof LATEST

/** A request for a stream that may continue a former one. */
type ResumableCall = Pick<Call<unknown, { readonly after?: Place | undefined }>, 'query' | 'lastEventId'>

/** Milliseconds to wait for events that the log has and this instance has not reached. */
const CATCH_UP_TIMEOUT = 5_000

/** Where a request says where to begin. */
type PlaceName = 'after' | 'before' | 'Last-Event-ID'

export const placeProblem = (name: PlaceName, detail: string): Refusal =>
  invalid([{ ...inQuery(name, detail), in: name === 'Last-Event-ID' ? 'header' : 'query' }])

const notReached = (after: string | number): Refusal =>
  refusal('position_not_reached', `This instance has not reached position ${after} yet.`)

/** A reconnecting client repeats its first request, so Last-Event-ID takes precedence over `after`. */
export const placeOf = ({ query, lastEventId }: ResumableCall, byDefault: Place): Place =>
  lastEventId ?? query.after ?? byDefault

/** Waits for a position this instance has not reached; refuses one beyond the log. */
export const reachPosition = async (
  { views, head }: StartDependencies,
  position: number,
  name: PlaceName,
): Promise<E.Either<Refusal, number>> => {
  if (position <= views.position()) return E.right(position)
  if ((await head()) > views.mark()) {
    if (await views.waitForPosition(position, CATCH_UP_TIMEOUT)) return E.right(position)
    if ((await head()) > views.mark()) return E.left(notReached(position))
  }
  return E.left(placeProblem(name, 'is beyond the end of the log'))
}

/** The position after which to begin. */
export const startPosition = async (
  dependencies: StartDependencies,
  call: ResumableCall,
  byDefault: Place,
): Promise<E.Either<Refusal, number>> => {
  const { views, head } = dependencies
  const after = placeOf(call, byDefault)
  if (after === LATEST) {
    return (await views.waitForStorePosition(await head(), CATCH_UP_TIMEOUT))
      ? E.right(views.position())
      : E.left(notReached(LATEST))
  }
  return reachPosition(dependencies, after, call.lastEventId === undefined ? 'after' : 'Last-Event-ID')
}

/** Whether a stream that is refused may begin later. */
export const isEarly = ({ code }: Refusal): boolean => code === 'position_not_reached'

/** Holds a stream until it can begin, because a browser never retries a refused one. */
export const makeHold = (dependencies: StartDependencies, call: ResumableCall, byDefault: Place): Hold => ({
  isOpen: dependencies.isOpen,
  begin: async () => {
    const begun = await startPosition(dependencies, call, byDefault)
    if (E.isRight(begun)) return begun.right
    // A position beyond the end of the log belongs to another log.
    return isEarly(begun.left) ? undefined : 'another_log'
  },
})

/** Begins a stream, or holds it if it cannot begin yet. */
export const beginOrHold = async (
  { isOpen }: StartDependencies,
  begin: () => RouteResult,
  hold: () => RouteResult,
): RouteResult => {
  if (!isOpen()) return hold()
  try {
    const response = await begin()
    return E.isLeft(response) && isEarly(response.left) ? hold() : response
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return hold()
  }
}

type Subscribed = E.Either<LimitReached, Subscription>

/** The response of a stream that begins now. */
export const begunResponse = async (
  subscribed: Subscribed,
  refusals: Readonly<Record<LimitReached, Refusal>>,
  position: number,
): RouteResult =>
  E.isLeft(subscribed)
    ? E.left(refusals[subscribed.left])
    : E.right({ status: 200, body: subscribed.right, headers: HEADERS, position })

/** The response of a stream that is held. */
export const heldResponse = async (
  subscribed: Subscribed,
  refusals: Readonly<Record<LimitReached, Refusal>>,
): RouteResult =>
  E.isLeft(subscribed)
    ? E.left(refusals[subscribed.left])
    : E.right({ status: 200, body: { ...subscribed.right, isHeld: true }, headers: HEADERS })
