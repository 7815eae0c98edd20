import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../../projections/reservation.ts'
import type { Sut } from '../../../projections/sut.ts'
import { described, instant } from '../../domain/codec/codec.ts'
import { type Recorded, sutIdOf, userOf } from '../../domain/event.ts'
import { refuse } from '../../domain/failure.ts'
import { ceilMillisecond } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import { cloudEvent } from '../../feed/events/cloud-event.ts'
import type { ValueChange } from '../../read-models/lists/histories.ts'
import { afterParameter, inOrder, LIMIT_DEFAULT, paging } from '../codecs/lists.ts'
import { apart, type QueryOf, queryOf, refuseParameter, wordsOf } from '../codecs/query.ts'
import type { Call, RouteResult } from '../protocol/call.ts'
import type { Refusal } from '../protocol/problem.ts'
import { everyone, get, overseers, refTo } from '../protocol/route.ts'
import { visibleTo } from '../response/visibility.ts'
import { listResponse } from './list-response.ts'
import { type Show, withVisible } from './object-reads.ts'
import type { Parts } from './parts.ts'

/** The requested page of a history, or of a span of it: at an offset, or after the event at a position. */
const historyQuery = queryOf(
  {
    ...{ limit: paging.limit, offset: paging.offset, after: afterParameter },
    from: described(instant, 'Begins with the first event recorded then or later.'),
    to: described(instant, 'Ends before the first event recorded then or later.'),
    include: described(
      wordsOf('names'),
      'names adds username, the holder of the reservation that an event is about, and sutname, as they are now.',
    ),
  },
  { rules: [apart(['offset'], 'after'), inOrder('from', 'to')] },
)
type HistoryCall = Call<unknown, QueryOf<typeof historyQuery>>

/** Events read and encoded per turn of the event loop. */
const EVENTS_PER_TURN = 64

/** A user's epoch, which ends its sessions, is no field of the user. */
const changedSecretsOf = ({ data }: Recorded): readonly ValueChange[] => {
  const changed: readonly string[] = ('credentials' in data && data.credentials?.changed) || []
  return changed.filter((name) => name !== 'epoch').map((name) => ({ path: `/${name}`, changed: true }))
}

/** @throws StoreUnavailable if it cannot be read */
const readEvent = async ({ views }: Parts, position: PublicPosition): Promise<Recorded> => {
  const event = await views.eventAt(position)
  if (event === undefined) throw new StoreUnavailable(`the event at position ${position} cannot be read`)
  return event
}

/** Makes the function that adds what `include` names: an actor may be no user, and a user may have been erased. */
const makeNames = (parts: Parts, { user, query: { include } }: HistoryCall) => {
  const suts = new Map<string, string | undefined>()
  const nameOf = (id: string): string | undefined => parts.users.member(id)?.name
  return async (event: Recorded): Promise<E.Either<Refusal, object>> => {
    const actorname = nameOf(event.metadata.actor)
    if (include === undefined) return E.right({ actorname })
    const sutId = sutIdOf(event) ?? ''
    if (!suts.has(sutId)) {
      // As far as the user sees it.
      const sut = await visibleTo(parts, user).newest('sut', sutId)
      if (E.isLeft(sut)) return sut
      suts.set(sutId, sut.right && (JSON.parse(sut.right.document) as Sut).name)
    }
    return E.right({ actorname, username: nameOf(userOf(event) ?? ''), sutname: suts.get(sutId) })
  }
}

/** Responds with the requested page of the history of an object, or of a span of it. */
const showHistory =
  (of: 'sut' | 'reservation' | 'user'): Show<Parts, HistoryCall> =>
  async (parts, call, { id }) => {
    const { limit = LIMIT_DEFAULT, offset = 0, after, from, to } = call.query
    const span = { from: from && ceilMillisecond(from.instant), to: to && ceilMillisecond(to.instant) }
    const page = await parts.objects.showList('history', { of, id, ...span, after, offset, limit })
    if (E.isLeft(page)) return page
    const { position, listed } = page.right
    if (listed === undefined) return refuseParameter('after', 'must be the position of an event in this history')
    const namesIn = makeNames(parts, call)
    const documents: string[] = []
    for (let n = 0; n < listed.entries.length; n += EVENTS_PER_TURN) {
      const entries = listed.entries.slice(n, n + EVENTS_PER_TURN)
      // Many at once: the store may be far.
      const events = await Promise.all(entries.map((entry) => readEvent(parts, entry.position)))
      await turn()
      for (const [i, event] of events.entries()) {
        const { position, changes } = entries[i] as (typeof entries)[number]
        const names = await namesIn(event)
        if (E.isLeft(names)) return names
        const whole = cloudEvent(event, position, parts.origin)
        // A revision counts the events of a stream, of which a user with a scope may not see all.
        const { revision: _, ...visible } = whole
        const shown = call.user.scope === undefined ? whole : visible
        documents.push(JSON.stringify({ ...shown, ...names.right, changes: [...changes, ...changedSecretsOf(event)] }))
      }
    }
    const place = { limit, offset, before: after }
    return E.right({ ...listResponse('events', place, { documents, count: listed.count }), position })
  }

const showOfReservation: Show<Parts, HistoryCall> = async (parts, call, version, now) => {
  const { user_id } = JSON.parse(version.document) as Reservation
  return call.user.role === 'tester' && user_id !== call.user._id
    ? refuse('not_your_reservation', 'Testers can read the history of their own reservations only.')
    : showHistory('reservation')(parts, call, version, now)
}

const ofUser = async (parts: Parts, call: HistoryCall): RouteResult => {
  const { user } = call
  const id = call.id === 'me' ? user._id : call.id
  if (user.role === 'tester' && id !== user._id) return refuse('forbidden', 'Testers can read their own history only.')
  return withVisible('user', showHistory('user'))(parts, { ...call, id })
}

export const reservationHistory = get('/api/sut_reservation/:id/history', {
  id: 'readReservationHistory',
  summary: 'Read the history of a reservation',
  description:
    'Events of the reservation, oldest first, each with the values it changed. Remains available after cancellation.',
  roles: everyone,
  query: historyQuery,
  answer: refTo('History'),
  refusals: ['reservation_not_found', 'not_your_reservation', 'store_full'],
  handler: withVisible('reservation', showOfReservation),
})

export const sutHistory = get('/api/sut/:id/history', {
  id: 'readSutHistory',
  summary: 'Read the history of a SUT',
  guide: 'history.md',
  description:
    'Events of the SUT, its port and its reservations, oldest first, each with the values it changed. Remains available after the SUT is retired.',
  roles: overseers,
  query: historyQuery,
  answer: refTo('History'),
  refusals: ['sut_not_found', 'store_full'],
  handler: withVisible('sut', showHistory('sut')),
})

export const userHistory = get('/api/user/:id/history', {
  id: 'readUserHistory',
  summary: 'Read the history of a user',
  description: 'Testers read their own only, also at /api/user/me/history.',
  roles: everyone,
  query: historyQuery,
  answer: refTo('History'),
  refusals: ['user_not_found', 'forbidden', 'store_full'],
  handler: ofUser,
})
