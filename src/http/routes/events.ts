import * as E from 'fp-ts/lib/Either.js'
import { invalid, type Problem } from '../../domain/failure.ts'
import { formatPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { StreamRequest } from '../../feed/event-writer.ts'
import type { Filter } from '../../feed/events/entry.ts'
import { eventStream, type Format, lines } from '../../feed/events/frames.ts'
import type { Feed, Page } from '../../feed/feed.ts'
import type { Hold } from '../../feed/hold.ts'
import type { LimitReached } from '../../feed/subscribers.ts'
import type { Views } from '../../read-models/views.ts'
import { LATEST } from '../codecs/as-of.ts'
import type { EventsQuery } from '../codecs/events.ts'
import { LIMIT } from '../codecs/lists.ts'
import { inQuery } from '../codecs/query.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import type { Call, RouteResponse, RouteResult } from '../protocol/route.ts'

const LINES = 'application/x-ndjson'
export const EVENT_STREAM = 'text/event-stream; charset=utf-8'

/** Media types of streams, besides JSON pages. */
export const STREAM_MEDIA_TYPES = [LINES, EVENT_STREAM]

/** Prevents proxies from buffering or transforming the stream. */
const HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' }

const SUBSCRIPTION_REFUSALS: Readonly<Record<LimitReached, Refusal>> = {
  of_user: refusal('too_many_subscribers', 'This user has reached the limit of event streams. Close one.'),
  of_all: refusal('unavailable', 'The service has reached its limit of event streams. Try again.'),
  held: refusal('unavailable', 'Too many event streams are waiting for the service to be ready. Try again.'),
  closed: refusal('unavailable', 'The service is stopping.'),
}

export interface EventsDependencies {
  readonly feed: Pick<Feed, 'page' | 'pageBack' | 'subscribe'>
  readonly views: Pick<Views, 'position' | 'mark' | 'waitForPosition' | 'waitForStorePosition'>
  /** The store position of the log's last event. */
  readonly head: () => Promise<number>
  /** Whether requests can be answered. */
  readonly isOpen: () => boolean
}

/** Milliseconds to wait for events that the log has and this instance has not reached. */
const CATCH_UP_TIMEOUT = 5_000

/** Parameters that do not fit the media type of the response. */
const parameterProblems = ({ follow, limit, isBackwards }: EventsQuery, mediaType: string): readonly Problem[] => [
  ...(follow && mediaType !== LINES && mediaType !== EVENT_STREAM
    ? [inQuery('follow', `is only for streams: send Accept: ${LINES} or ${EVENT_STREAM}`)]
    : []),
  ...(limit !== undefined && (mediaType === LINES || mediaType === EVENT_STREAM)
    ? [inQuery('limit', 'is only for pages, not for streams')]
    : []),
  ...(isBackwards && (mediaType === LINES || mediaType === EVENT_STREAM)
    ? [inQuery('order', 'is only for pages, not for streams')]
    : []),
]

/** Where a request says where to begin. */
type Place = 'after' | 'before' | 'Last-Event-ID'

const placeProblem = (name: Place, detail: string): Refusal =>
  invalid([{ ...inQuery(name, detail), in: name === 'Last-Event-ID' ? 'header' : 'query' }])

const notReached = (after: string | number): Refusal =>
  refusal('position_not_reached', `This instance has not reached position ${after} yet.`)

/** Waits for a position this instance has not reached; refuses one beyond the log. */
const reachPosition = async (
  { views, head }: EventsDependencies,
  position: number,
  name: Place,
): Promise<E.Either<Refusal, number>> => {
  if (position <= views.position()) return E.right(position)
  if ((await head()) > views.mark()) {
    if (await views.waitForPosition(position, CATCH_UP_TIMEOUT)) return E.right(position)
    if ((await head()) > views.mark()) return E.left(notReached(position))
  }
  return E.left(placeProblem(name, 'is beyond the end of the log'))
}

/** The position after which to begin. */
const startPosition = async (
  dependencies: EventsDependencies,
  { query, lastEventId }: Call<unknown, EventsQuery>,
): Promise<E.Either<Refusal, number>> => {
  const { views, head } = dependencies
  // A reconnecting client repeats its first request, so Last-Event-ID takes precedence over `after`.
  const after = lastEventId ?? query.after ?? -1
  if (after === LATEST) {
    return (await views.waitForStorePosition(await head(), CATCH_UP_TIMEOUT))
      ? E.right(views.position())
      : E.left(notReached(LATEST))
  }
  return reachPosition(dependencies, after, lastEventId === undefined ? 'after' : 'Last-Event-ID')
}

const pageAnswer = ({ events, next, caughtUp }: Page, position: number): RouteResponse => ({
  status: 200,
  body: `{"events":[${events.join(',')}],"next":${next < 0 ? null : `"${formatPosition(next)}"`},"caught_up":${caughtUp}}`,
  position,
})

/** Responds with a page from the newest event back. */
const respondBackwards = async (
  dependencies: EventsDependencies,
  { query, lastEventId }: Call<unknown, EventsQuery>,
  filter: Filter,
): RouteResult => {
  const { feed, views } = dependencies
  if (lastEventId !== undefined) {
    return E.left(placeProblem('Last-Event-ID', 'cannot be combined with order=desc'))
  }
  const reached = await reachPosition(dependencies, (query.before ?? 0) - 1, 'before')
  if (E.isLeft(reached)) return reached
  const position = views.position()
  const before = query.before ?? position + 1
  const page = await feed.pageBack({ before, limit: query.limit ?? LIMIT, filter })
  return E.right(pageAnswer(position < 0 ? { ...page, next: -1 } : page, position))
}

/** Holds a stream until it can begin, because a browser never retries a refused one. */
const makeHold = (dependencies: EventsDependencies, call: Call<unknown, EventsQuery>): Hold => ({
  isOpen: dependencies.isOpen,
  begin: async () => {
    const begun = await startPosition(dependencies, call)
    if (E.isRight(begun)) return begun.right
    // A position beyond the end of the log belongs to another log.
    return begun.left.code === 'position_not_reached' ? undefined : 'another_log'
  },
})

const subscribeHeld = async (
  dependencies: EventsDependencies,
  call: Call<unknown, EventsQuery>,
  request: StreamRequest,
): RouteResult => {
  const subscribed = await dependencies.feed.subscribe(call.user, request, makeHold(dependencies, call))
  if (E.isLeft(subscribed)) return E.left(SUBSCRIPTION_REFUSALS[subscribed.left])
  return E.right({ status: 200, body: { ...subscribed.right, isHeld: true }, headers: HEADERS })
}

const respondWithEvents = async (
  dependencies: EventsDependencies,
  call: Call<unknown, EventsQuery>,
  request: StreamRequest,
): RouteResult => {
  const { feed, views } = dependencies
  const { query, mediaType, user } = call
  const begun = await startPosition(dependencies, call)
  if (E.isLeft(begun)) return begun
  const after = begun.right
  const position = views.position()
  if (mediaType !== LINES && mediaType !== EVENT_STREAM) {
    const page = await feed.page({ after, end: position, limit: query.limit ?? LIMIT, filter: request.filter })
    return E.right(pageAnswer(page, position))
  }
  const end = mediaType === LINES && !query.follow ? position : undefined
  const subscribed = await feed.subscribe(user, { ...request, after, end })
  if (E.isLeft(subscribed)) return E.left(SUBSCRIPTION_REFUSALS[subscribed.left])
  return E.right({ status: 200, body: subscribed.right, headers: HEADERS, position })
}

/** Responds with events of the log, as a page or a stream. */
export const makeEvents =
  (dependencies: EventsDependencies) =>
  async (call: Call<unknown, EventsQuery>): RouteResult => {
    const { query, mediaType } = call
    const problems = parameterProblems(query, mediaType)
    if (problems.length > 0) return E.left(invalid(problems))
    const { actor, from, to } = query
    const filter = { types: query.types, sutId: query.sut_id, userId: query.user_id, actor, from, to }
    const format: Format = mediaType === LINES ? lines : eventStream
    if (query.isBackwards) return respondBackwards(dependencies, call, filter)
    const request = { after: -1, end: undefined, filter, format }
    if (mediaType !== EVENT_STREAM) return respondWithEvents(dependencies, call, request)
    if (!dependencies.isOpen()) return subscribeHeld(dependencies, call, request)
    try {
      const response = await respondWithEvents(dependencies, call, request)
      const isEarly = E.isLeft(response) && response.left.code === 'position_not_reached'
      return isEarly ? subscribeHeld(dependencies, call, request) : response
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      return subscribeHeld(dependencies, call, request)
    }
  }
