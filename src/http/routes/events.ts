import * as E from 'fp-ts/lib/Either.js'
import { described, instant, oneOf, opaqueId } from '../../domain/codec/codec.ts'
import { EVENT_TYPES } from '../../domain/event.ts'
import { invalid, type Problem } from '../../domain/failure.ts'
import { ceilMillisecond, type OffsetTime } from '../../domain/values/instant.ts'
import {
  BEFORE_FIRST,
  formatPosition,
  type PublicPosition,
  previousPosition,
  toPublicPosition,
} from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { eventStream, jsonLines } from '../../feed/events/frames.ts'
import type { EventsPage } from '../../feed/feed.ts'
import type { FindStart } from '../../feed/stream.ts'
import type { LimitReached, Subscription } from '../../feed/subscribers.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import {
  afterParameter,
  eventTypeOf,
  inOrder,
  LATEST,
  LIMIT_DEFAULT,
  ofSut,
  paging,
  positionParameter,
} from '../codecs/lists.ts'
import { inQuery, onlyTrue, type QueryOf, queryOf, type Rule, several } from '../codecs/query.ts'
import { type Call, EVENT_STREAM, type RouteResponse, type RouteResult } from '../protocol/call.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import { everyone, get, overseers, type Route, refTo } from '../protocol/route.ts'
import type { Parts } from './parts.ts'

/** The direction in which events are read. */
const orderRule: Rule = (given) => [
  ...(given.has('before') && !given.has('order') ? [inQuery('before', 'needs order=desc')] : []),
  ...(given.has('order') && given.has('after') ? [inQuery('after', 'cannot be combined with order=desc')] : []),
]

const before = 'With order=desc: the position before which to begin; by default the end of the log.'
const actor = 'Only what this user did, or berth, schedule, monitor, gateway, oidc or command-line.'

const eventsQuery = queryOf(
  {
    after: afterParameter,
    order: described(oneOf('desc'), 'Newest first, for pages. Then next is the before to go on with. Not with after.'),
    before: described(positionParameter, before),
    limit: paging.limit,
    follow: described(onlyTrue, 'Continue live after all events up to now.'),
    type: several(eventTypeOf(EVENT_TYPES), 'Only events of this type; may be repeated.'),
    sut_id: ofSut,
    user_id: described(opaqueId, 'Only those of reservations held by this user, and those about the user; me is you.'),
    actor: described(opaqueId, actor),
    from: described(instant, 'Only events recorded from then on.'),
    to: described(instant, 'Only events recorded before.'),
  },
  { rules: [inOrder('from', 'to'), orderRule] },
)
type EventsQuery = QueryOf<typeof eventsQuery>

const changesQuery = queryOf({
  after: described(afterParameter, 'The position after which to begin; from now on by default.'),
})
type ChangesQuery = QueryOf<typeof changesQuery>

const filterOf = ({ type, sut_id, user_id, actor, from, to }: EventsQuery) => {
  /** Unix milliseconds of the first event, or after the last. */
  const millisecondOf = (time: OffsetTime | undefined) => time && ceilMillisecond(time.instant)
  return {
    types: type && new Set(type),
    sutId: sut_id,
    userId: user_id,
    actor,
    from: millisecondOf(from),
    to: millisecondOf(to),
  }
}

const LINES = 'application/x-ndjson'
const STREAM_MEDIA_TYPES = [LINES, EVENT_STREAM]

/** Prevents proxies from buffering or transforming the stream. */
const HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' }

/** Why a stream is refused, by the limit that was reached. */
const REFUSALS_OF_CHANGES: Readonly<Record<LimitReached, Refusal>> = {
  of_user: refusal('too_many_subscribers', 'This user has reached the limit of event streams. Close one.'),
  of_all: refusal('too_many_subscribers', 'The service has reached its limit of event streams. Try again.'),
  held: refusal('unavailable', 'Too many event streams are waiting for the service to be ready. Try again.'),
  closed: refusal('unavailable', 'The service is stopping.'),
}
const REFUSALS_OF_EVENTS = {
  ...REFUSALS_OF_CHANGES,
  of_all: refusal('unavailable', 'The service has reached its limit of event streams. Try again.'),
}

type Position = E.Either<Refusal, PublicPosition>
type Subscribed = E.Either<LimitReached, Subscription>

const notReached = (after: string | number): Refusal =>
  refusal('position_not_reached', `This instance has not reached position ${after} yet.`)

/** Whether a stream that is refused may begin later. */
const isEarly = ({ code }: Refusal): boolean => code === 'position_not_reached'

/** Waits for a position this instance has not reached, or for the end of the log. Refuses one beyond that where it is. */
export const reachPosition = async (
  { views, store }: Parts,
  position: PublicPosition | typeof LATEST,
  where: Pick<Problem, 'in' | 'path'>,
): Promise<Position> => {
  const isReached = (): boolean => position !== LATEST && position <= views.position()
  const isAtHead = isReached() || (await waitForHead(views, store))
  if (position !== LATEST && isReached()) return E.right(position)
  if (!isAtHead) return E.left(notReached(position))
  if (position === LATEST) return E.right(views.position())
  return E.left(invalid([{ code: 'invalid', ...where, detail: 'is beyond the end of the log' }]))
}

/** The position after which to begin. A reconnecting client repeats its first request, so Last-Event-ID comes first. */
const startPosition = (
  parts: Parts,
  { query, lastEventId }: Call<unknown, ChangesQuery>,
  byDefault: PublicPosition | typeof LATEST,
): Promise<Position> => {
  const after = lastEventId ?? query.after ?? byDefault
  return lastEventId === undefined
    ? reachPosition(parts, after, { in: 'query', path: ['after'] })
    : reachPosition(parts, after, { in: 'header', path: ['Last-Event-ID'] })
}

/** The response of a stream that shows a position, or that is held until it can begin. */
const streamResponse = (
  subscribed: Subscribed,
  position: PublicPosition | undefined,
  refusals: Readonly<Record<LimitReached, Refusal>>,
): Awaited<RouteResult> => {
  if (E.isLeft(subscribed)) return E.left(refusals[subscribed.left])
  const response = { status: 200, headers: HEADERS } as const
  return position === undefined
    ? E.right({ ...response, body: { ...subscribed.right, isHeld: true } })
    : E.right({ ...response, body: subscribed.right, position })
}

/** Begins a stream of Server-Sent Events, or holds it until it can begin, because a browser never retries a refused one. */
const follow = async (
  { isFollowing, views }: Parts,
  start: () => Promise<Position>,
  subscribe: (after: PublicPosition | FindStart) => Subscribed,
  refusals: Readonly<Record<LimitReached, Refusal>>,
): RouteResult => {
  /** Undefined if it may begin later. */
  const tryStart = async (): Promise<Position | undefined> => {
    try {
      const begun = isFollowing() ? await start() : undefined
      return begun !== undefined && E.isLeft(begun) && isEarly(begun.left) ? undefined : begun
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      return undefined
    }
  }
  const findStart: FindStart = async () => {
    const begun = await tryStart()
    // A position beyond the end of the log belongs to another log.
    return begun && (E.isLeft(begun) ? 'another_log' : begun.right)
  }
  const begun = await tryStart()
  if (begun === undefined) return streamResponse(subscribe(findStart), undefined, refusals)
  if (E.isLeft(begun)) return begun
  const position = views.position()
  return streamResponse(subscribe(begun.right), position, refusals)
}

/** Parameters that do not fit the media type of the response, or the direction. */
const problemsOf = ({ query, mediaType, lastEventId }: Call<unknown, EventsQuery>): readonly Problem[] => {
  const { follow, limit, order } = query
  if (STREAM_MEDIA_TYPES.includes(mediaType)) {
    return [...(limit === undefined ? [] : ['limit']), ...(order === undefined ? [] : ['order'])].map((name) =>
      inQuery(name, 'is only for pages, not for streams'),
    )
  }
  if (follow) return [inQuery('follow', `is only for streams: send Accept: ${LINES} or ${EVENT_STREAM}`)]
  return order !== undefined && lastEventId !== undefined
    ? [{ ...inQuery('Last-Event-ID', 'cannot be combined with order=desc'), in: 'header' }]
    : []
}

const pageResponse = ({ events, next, caughtUp }: EventsPage, position: PublicPosition): RouteResponse => ({
  status: 200,
  body: `{"events":[${events.join(',')}],"next":${next < 0 ? null : `"${formatPosition(next)}"`},"caught_up":${caughtUp}}`,
  position,
})

const respond = async (parts: Parts, call: Call<unknown, EventsQuery>): RouteResult => {
  const { feed, views } = parts
  const { query, mediaType, user } = call
  const problems = problemsOf(call)
  if (problems.length > 0) return E.left(invalid(problems))
  const { limit = LIMIT_DEFAULT } = query
  const filter = filterOf(query)
  if (query.order !== undefined) {
    const first = previousPosition(query.before ?? toPublicPosition(0))
    const reached = await reachPosition(parts, first, { in: 'query', path: ['before'] })
    if (E.isLeft(reached)) return reached
    const position = views.position()
    const end = query.before === undefined ? position : previousPosition(query.before)
    const page = await feed.page({ userId: user._id, after: BEFORE_FIRST, end, limit, filter, isBack: true })
    return E.right(pageResponse(position < 0 ? { ...page, next: BEFORE_FIRST } : page, position))
  }
  const start = () => startPosition(parts, call, BEFORE_FIRST)
  if (mediaType === EVENT_STREAM) {
    const request = { end: undefined, filter, format: eventStream }
    return follow(parts, start, (after) => feed.subscribe(user, { ...request, after }), REFUSALS_OF_EVENTS)
  }
  const begun = await start()
  if (E.isLeft(begun)) return begun
  const after = begun.right
  const position = views.position()
  if (mediaType !== LINES) {
    return E.right(pageResponse(await feed.page({ userId: user._id, after, end: position, limit, filter }), position))
  }
  const end = query.follow ? undefined : position
  const subscribed = feed.subscribe(user, { after, end, filter, format: jsonLines })
  return streamResponse(subscribed, position, REFUSALS_OF_EVENTS)
}

/** Tells a user what has changed of what it may read. */
const respondWithChanges = async (parts: Parts, call: Call<unknown, ChangesQuery>): RouteResult => {
  const digest = await parts.digest()
  const start = async (): Promise<Position> => {
    const begun = await startPosition(parts, call, LATEST)
    const requested = call.lastEventId ?? call.query.after ?? LATEST
    // A position that the log does not have is one of another log: it is told to read again.
    return E.isLeft(begun) && !isEarly(begun.left) && requested !== LATEST ? E.right(requested) : begun
  }
  return follow(parts, start, (after) => parts.changes.subscribe(call.user, { after, digest }), REFUSALS_OF_CHANGES)
}

export const eventRoutes: readonly Route<Parts>[] = [
  get('/api/events', {
    id: 'readEvents',
    summary: 'Read or follow the events of the log',
    guide: 'feed.md',
    description:
      'A page as JSON, all events up to now as NDJSON, whose last line has the position if the transfer is complete, or all events and then live ones as Server-Sent Events. /asyncapi.json describes the streams.',
    roles: overseers,
    otherMediaTypes: STREAM_MEDIA_TYPES,
    query: eventsQuery,
    isResumable: true,
    answer: refTo('EventPage'),
    refusals: ['too_many_subscribers'],
    handler: respond,
  }),
  get('/api/changes', {
    id: 'readChanges',
    summary: 'Follow which objects change',
    guide: 'feed.md#which-objects-change',
    description:
      'Server-Sent Events: `ready` with the position from which it follows, then `change` for each object that changed and may be read, one entry an object in 250 ms, and `reload` where there are too many to tell. /asyncapi.json describes them.',
    roles: everyone,
    mediaType: EVENT_STREAM,
    query: changesQuery,
    isResumable: true,
    answer: { type: 'string' },
    refusals: ['too_many_subscribers'],
    handler: respondWithChanges,
  }),
]
