import * as E from 'fp-ts/lib/Either.js'
import { invalid, type Problem } from '../../domain/failure.ts'
import {
  BEFORE_FIRST,
  formatPosition,
  nextPosition,
  type PublicPosition,
  previousPosition,
  toPublicPosition,
} from '../../domain/values/position.ts'
import type { Filter } from '../../feed/events/entry.ts'
import { eventStream, type Format, jsonLines } from '../../feed/events/frames.ts'
import type { EventsPage, StreamRequest } from '../../feed/feed.ts'
import { type EventsQuery, eventsQuery } from '../codecs/events.ts'
import { LIMIT } from '../codecs/lists.ts'
import { inQuery } from '../codecs/query.ts'
import { get, overseers, refTo } from '../protocol/declaration.ts'
import { refusal } from '../protocol/problem.ts'
import type { Call, RouteResponse, RouteResult } from '../protocol/route.ts'
import type { Parts } from './parts.ts'
import {
  beginOrHold,
  EVENT_STREAM,
  makeDelayedStart,
  positionProblem,
  reachPosition,
  STREAM_REFUSALS,
  startPosition,
  streamResponse,
} from './stream-start.ts'

const LINES = 'application/x-ndjson'

/** Media types of streams, besides JSON pages. */
const STREAM_MEDIA_TYPES = [LINES, EVENT_STREAM]

const SUBSCRIPTION_REFUSALS = {
  ...STREAM_REFUSALS,
  of_all: refusal('unavailable', 'The service has reached its limit of event streams. Try again.'),
}

/** Parameters that do not fit the media type of the response. */
const parameterProblems = ({ follow, limit, isBackwards }: EventsQuery, mediaType: string): readonly Problem[] => {
  if (!STREAM_MEDIA_TYPES.includes(mediaType)) {
    const detail = `is only for streams: send Accept: ${LINES} or ${EVENT_STREAM}`
    return follow ? [inQuery('follow', detail)] : []
  }
  return [...(limit === undefined ? [] : ['limit']), ...(isBackwards ? ['order'] : [])].map((name) =>
    inQuery(name, 'is only for pages, not for streams'),
  )
}

const pageAnswer = ({ events, next, caughtUp }: EventsPage, position: PublicPosition): RouteResponse => ({
  status: 200,
  body: `{"events":[${events.join(',')}],"next":${next < 0 ? null : `"${formatPosition(next)}"`},"caught_up":${caughtUp}}`,
  position,
})

/** Responds with a page from the newest event back. */
const respondBackwards = async (
  parts: Parts,
  { query, lastEventId, user }: Call<unknown, EventsQuery>,
  filter: Filter,
): RouteResult => {
  const { feed, views } = parts
  if (lastEventId !== undefined) {
    return E.left(positionProblem('Last-Event-ID', 'cannot be combined with order=desc'))
  }
  const reached = await reachPosition(parts, previousPosition(query.before ?? toPublicPosition(0)), 'before')
  if (E.isLeft(reached)) return reached
  const position = views.position()
  const before = query.before ?? nextPosition(position)
  const page = await feed.pageBack({ userId: user._id, before, limit: query.limit ?? LIMIT, filter })
  return E.right(pageAnswer(position < 0 ? { ...page, next: BEFORE_FIRST } : page, position))
}

const subscribeHeld = async (parts: Parts, call: Call<unknown, EventsQuery>, request: StreamRequest): RouteResult =>
  streamResponse(
    await parts.feed.subscribe(call.user, request, makeDelayedStart(parts, call, BEFORE_FIRST)),
    'held',
    SUBSCRIPTION_REFUSALS,
  )

const respondWithEvents = async (
  parts: Parts,
  call: Call<unknown, EventsQuery>,
  request: StreamRequest,
): RouteResult => {
  const { feed, views } = parts
  const { query, mediaType, user } = call
  const begun = await startPosition(parts, call, BEFORE_FIRST)
  if (E.isLeft(begun)) return begun
  const after = begun.right
  const position = views.position()
  if (!STREAM_MEDIA_TYPES.includes(mediaType)) {
    const page = await feed.page({
      ...{ userId: user._id, after, end: position, limit: query.limit ?? LIMIT },
      filter: request.filter,
    })
    return E.right(pageAnswer(page, position))
  }
  const end = mediaType === LINES && !query.follow ? position : undefined
  return streamResponse(await feed.subscribe(user, { ...request, after, end }), position, SUBSCRIPTION_REFUSALS)
}

/** Responds with events of the log, as a page or a stream. */
const respond = async (parts: Parts, call: Call<unknown, EventsQuery>): RouteResult => {
  const { query, mediaType } = call
  const problems = parameterProblems(query, mediaType)
  if (problems.length > 0) return E.left(invalid(problems))
  const { actor, from, to } = query
  const filter = { types: query.types, sutId: query.sut_id, userId: query.user_id, actor, from, to }
  const format: Format = mediaType === LINES ? jsonLines : eventStream
  if (query.isBackwards) return respondBackwards(parts, call, filter)
  const request = { after: BEFORE_FIRST, end: undefined, filter, format }
  if (mediaType !== EVENT_STREAM) return respondWithEvents(parts, call, request)
  return beginOrHold(
    parts,
    () => respondWithEvents(parts, call, request),
    () => subscribeHeld(parts, call, request),
  )
}

export const readEvents = get({
  path: '/api/events',
  id: 'readEvents',
  summary: 'Read or follow the events of the log',
  description:
    'A page as JSON, all events up to now as NDJSON, whose last line has the position if the transfer is complete, or all events and then live ones as Server-Sent Events. /asyncapi.json describes the streams.',
  roles: overseers,
  otherMediaTypes: STREAM_MEDIA_TYPES,
  query: eventsQuery,
  isResumable: true,
  heldMediaType: EVENT_STREAM,
  answer: refTo('EventPage'),
  refusals: ['too_many_subscribers'],
  handler: respond,
})
