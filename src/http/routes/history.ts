import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Sut } from '../../../projections/sut.ts'
import { type Recorded, sutIdOf, userOf } from '../../domain/event.ts'
import { failure, invalid } from '../../domain/failure.ts'
import { sutStream } from '../../domain/values/ids.ts'
import { ceilMillisecond, type OffsetTime } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { type CloudEvent, cloudEvent } from '../../feed/events/cloud-event.ts'
import type { Version } from '../../read-models/tables/version.ts'
import { LATEST } from '../codecs/as-of.ts'
import { type HistoryQuery, historyQuery } from '../codecs/lists.ts'
import { inQuery } from '../codecs/query.ts'
import { everyone, getWithQuery, overseers, refTo } from '../protocol/declaration.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import { ifReaching } from '../response/objects.ts'
import { findNewest, visibleTo } from '../response/visibility.ts'
import {
  concatHistories,
  countBefore,
  EVENTS_PER_TURN,
  type History,
  makeHistories,
  type ReadHistories,
} from './history-events.ts'
import { listResponse } from './list-response.ts'
import type { Parts } from './parts.ts'

type HistoryCall = Call<unknown, HistoryQuery>

/** It counts the events of a stream, of which a user with a scope may not see all. */
const withoutRevision = ({ revision: _, ...event }: CloudEvent): Omit<CloudEvent, 'revision'> => event

/** Encodes events in portions, yielding to other requests. Also returns the position that the first portion shows. */
const makeFormatEvents =
  ({ objects, origin, users }: Parts, { log }: ReadHistories) =>
  async (
    events: readonly Recorded[],
    { user: { scope }, query: { withNames } }: HistoryCall,
    sutNames: ReadonlyMap<string, string>,
  ): Promise<E.Either<Refusal, { position: PublicPosition; documents: readonly string[] }>> => {
    // An actor may be no user, and a user may have been erased.
    const nameOf = (id: string): string | undefined => users.member(id)?.name
    const documents: string[] = []
    let shown: PublicPosition | undefined
    do {
      const some = events.slice(documents.length, documents.length + EVENTS_PER_TURN)
      const formatted = await objects.showLists(({ histories }) =>
        some.map((event) => {
          const position = log().publicPositionAt(event.storePosition)
          if (position === undefined)
            throw new StoreUnavailable(`${event.stream}@${event.revision} has no position yet`)
          const changes = histories.changes(event, position)
          const names = {
            actorname: nameOf(event.metadata.actor),
            ...(withNames && { username: nameOf(userOf(event) ?? ''), sutname: sutNames.get(sutIdOf(event) ?? '') }),
          }
          const whole = cloudEvent(event, position, origin)
          const shown = scope === undefined ? whole : withoutRevision(whole)
          return JSON.stringify({ ...shown, ...names, changes })
        }),
      )
      if (E.isLeft(formatted)) return formatted
      documents.push(...formatted.right.listed)
      shown ??= formatted.right.position
      if (documents.length < events.length) await turn()
    } while (documents.length < events.length)
    return E.right({ position: shown, documents })
  }

/** The present names of the SUTs that events are about, as far as the user sees them. */
const readSutNames = async (
  { objects }: Parts,
  events: readonly Recorded[],
  { user, query: { withNames } }: HistoryCall,
): Promise<E.Either<Refusal, ReadonlyMap<string, string>>> => {
  const names = new Map<string, string>()
  const ids = new Set(withNames ? events.flatMap((event) => sutIdOf(event) ?? []) : [])
  for (const id of ids) {
    const found = await visibleTo(objects, user).newest('sut', id)
    if (E.isLeft(found)) return found
    if (found.right !== undefined) names.set(id, (JSON.parse(found.right.document) as Sut).name)
  }
  return E.right(names)
}

/** Responds with the requested page of a history, or of a span of it. */
const makeAnswer = (parts: Parts, read: ReadHistories) => {
  const formatEvents = makeFormatEvents(parts, read)
  return async (history: History, call: HistoryCall): RouteResult => {
    const { limit, offset, after, from, to } = call.query
    const bound = async (time: OffsetTime | undefined): Promise<number | undefined> =>
      time && countBefore(history, ceilMillisecond(time.instant))
    const [begin = 0, end = history.count] = [await bound(from), await bound(to)]
    const passed = after === undefined ? begin + offset : after === LATEST ? end : await history.upTo(after)
    if (passed === undefined)
      return E.left(invalid([inQuery('after', 'must be the position of an event in this history')]))
    const first = Math.max(passed, begin)
    const events = await history.events(first, Math.max(0, Math.min(limit, end - first)))
    const sutNames = await readSutNames(parts, events, call)
    if (E.isLeft(sutNames)) return sutNames
    const formatted = await formatEvents(events, call, sutNames.right)
    if (E.isLeft(formatted)) return formatted
    const { position, documents } = formatted.right
    const place = after === undefined ? { limit, offset } : { limit }
    return E.right({ ...listResponse('events', place, { documents, count: Math.max(0, end - begin) }), position })
  }
}

/** Responds with the history of an object whose events are at known positions. */
const makeAnswerPositions = (parts: Parts) => {
  const read = makeHistories(parts)
  const answer = makeAnswer(parts, read)
  return async (kind: 'reservation' | 'user', { id, created }: Version, call: HistoryCall): RouteResult => {
    const positions = await parts.objects.showLists(({ histories }) => histories.positions(kind, id))
    const shown = ifReaching(created, positions)
    return E.isLeft(shown) ? shown : answer(read.ofPositions(shown.right.listed), call)
  }
}

const makeSutHistory = (parts: Parts) => {
  const { objects } = parts
  const read = makeHistories(parts)
  const answer = makeAnswer(parts, read)
  return async (call: HistoryCall): RouteResult => {
    const id = call.params.id ?? ''
    const found = await findNewest(objects, 'sut', id)
    if (E.isLeft(found)) return found
    const { created } = found.right
    const lists = await objects.showLists(({ histories, sessionEvents }) => ({
      ports: histories.positions('listen_port', id),
      events: histories.eventsOf(id),
      ofSessions: sessionEvents.count(id),
    }))
    const shown = ifReaching(created, lists)
    if (E.isLeft(shown)) return shown
    const { ports, events, ofSessions } = shown.right.listed
    const own = read.withSessions(read.ofStream(sutStream(id), events), id, ofSessions)
    // A port is assigned before the SUT exists, and released after its last event.
    const [begun = [], givenBack = []] = [true, false].map((isBefore) =>
      ports.filter((port) => port.position < created === isBefore),
    )
    return answer(concatHistories([read.ofPositions(begun), own, read.ofPositions(givenBack)]), call)
  }
}

const makeReservationHistory = (parts: Parts) => {
  const answerPositions = makeAnswerPositions(parts)
  return async (call: HistoryCall): RouteResult => {
    const { params, user } = call
    const found = await findNewest(visibleTo(parts.objects, user), 'reservation', params.id)
    if (E.isLeft(found)) return found
    const { user_id } = JSON.parse(found.right.document) as Reservation
    if (user.role === 'tester' && user_id !== user._id) {
      return E.left(failure('not_your_reservation', 'Testers can read the history of their own reservations only.'))
    }
    return answerPositions('reservation', found.right, call)
  }
}

const makeUserHistory = (parts: Parts) => {
  const answerPositions = makeAnswerPositions(parts)
  return async (call: HistoryCall): RouteResult => {
    const { params, user } = call
    const id = params.id === 'me' ? user._id : (params.id ?? '')
    if (user.role === 'tester' && id !== user._id) {
      return E.left(failure('forbidden', 'Testers can read their own history only.'))
    }
    const found = await findNewest(parts.objects, 'user', id)
    return E.isLeft(found) ? found : answerPositions('user', found.right, call)
  }
}

export const reservationHistory = getWithQuery({
  path: '/api/sut_reservation/:id/history',
  id: 'readReservationHistory',
  summary: 'Read the history of a reservation',
  description:
    'Events of the reservation, oldest first, each with the values it changed. Remains available after cancellation.',
  tag: 'History and feed',
  roles: everyone,
  query: historyQuery,
  answer: refTo('History'),
  refusals: ['reservation_not_found', 'not_your_reservation', 'store_full'],
  handler: makeReservationHistory,
})

export const sutHistory = getWithQuery({
  path: '/api/sut/:id/history',
  id: 'readSutHistory',
  summary: 'Read the history of a SUT',
  description:
    'Events of the SUT, its port and its reservations, oldest first, each with the values it changed. Remains available after the SUT is retired.',
  tag: 'History and feed',
  roles: overseers,
  query: historyQuery,
  answer: refTo('History'),
  refusals: ['sut_not_found', 'store_full'],
  handler: makeSutHistory,
})

export const userHistory = getWithQuery({
  path: '/api/user/:id/history',
  id: 'readUserHistory',
  summary: 'Read the history of a user',
  description: 'Testers read their own only, also at /api/user/me/history.',
  tag: 'History and feed',
  roles: everyone,
  query: historyQuery,
  answer: refTo('History'),
  refusals: ['user_not_found', 'forbidden', 'store_full'],
  handler: makeUserHistory,
})
