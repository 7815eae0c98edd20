import * as E from 'fp-ts/lib/Either.js'
import type { Reservation } from '../../projections/reservation.ts'
import type { Recorded } from '../domain/event.ts'
import { failure, invalid } from '../domain/failure.ts'
import { sutStream } from '../domain/ids.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import { cloudEvent } from '../feed/cloud-event.ts'
import type { EventPlace } from '../read-models/histories.ts'
import type { LogIndex } from '../read-models/log-index.ts'
import type { Views } from '../read-models/views.ts'
import type { HistoryQuery } from './history-query.ts'
import { listing } from './list-answer.ts'
import type { Objects } from './objects.ts'
import type { Refusal } from './problem.ts'
import { inQuery } from './query.ts'
import type { Answering, Call } from './route.ts'

export interface HistoryHandlers {
  readonly sut: (call: Call<unknown, HistoryQuery>) => Answering
  readonly reservation: (call: Call<unknown, HistoryQuery>) => Answering
}

export interface HistoryDependencies {
  readonly objects: Objects
  readonly views: Pick<Views, 'log'>
  readonly store: Pick<EventStore, 'at' | 'readStream'>
  /** The name of the log. */
  readonly origin: string
}

/** The events of an object, oldest first. */
interface History {
  readonly count: number
  /** How many there are up to the one at a position; undefined where that is none of them. */
  readonly upTo: (position: number) => Promise<number | undefined>
  readonly events: (first: number, count: number) => Promise<readonly Recorded[]>
}

type Log = () => LogIndex

const eventAt = async ({ store }: HistoryDependencies, log: Log, position: number): Promise<Recorded | undefined> => {
  const mark = log().markAt(position)
  return mark === undefined ? undefined : store.at(mark)
}

const eventsAt = async (
  dependencies: HistoryDependencies,
  log: Log,
  places: readonly EventPlace[],
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = []
  for (const { position } of places) {
    const event = await eventAt(dependencies, log, position)
    if (event === undefined) throw new StoreUnavailable(`the event at position ${position} cannot be read`)
    events.push(event)
  }
  return events
}

const ofPlaces = (dependencies: HistoryDependencies, log: Log, places: readonly EventPlace[]): History => ({
  count: places.length,
  upTo: async (position) => places.findIndex((place) => place.position === position) + 1 || undefined,
  events: (first, count) => eventsAt(dependencies, log, places.slice(first, first + count)),
})

/** So many events of a stream, from a revision on. */
const ofStream = (dependencies: HistoryDependencies, log: Log, stream: string, count: number): History => ({
  count,
  upTo: async (position) => {
    const event = await eventAt(dependencies, log, position)
    return event?.stream === stream ? event.revision + 1 : undefined
  },
  events: async (first, wanted) => {
    const events: Recorded[] = []
    if (wanted <= 0) return events
    for await (const page of dependencies.store.readStream(stream, first - 1)) {
      events.push(...page.slice(0, wanted - events.length))
      if (events.length >= wanted) break
    }
    return events
  },
})

/** One history behind the other. */
const joined = (parts: readonly History[]): History => ({
  count: parts.reduce((sum, { count }) => sum + count, 0),
  upTo: async (position) => {
    let before = 0
    for (const part of parts) {
      const found = await part.upTo(position)
      if (found !== undefined) return before + found
      before += part.count
    }
    return undefined
  },
  events: async (first, count) => {
    const events: Recorded[] = []
    let before = 0
    for (const part of parts) {
      const from = Math.max(0, first + events.length - before)
      const wanted = Math.min(part.count - from, count - events.length)
      if (wanted > 0) events.push(...(await part.events(from, wanted)))
      before += part.count
    }
    return events
  },
})

const unlisted = (): Refusal => failure('unavailable', 'Histories cannot be read while documents cannot be written.')

/** The part of a history that is asked for. */
const makeAnswer =
  ({ objects, origin }: HistoryDependencies) =>
  async (history: History, log: Log, query: HistoryQuery): Answering => {
    const { limit, offset, after } = query
    const first = after === undefined ? offset : await history.upTo(after)
    if (first === undefined) return E.left(invalid([inQuery('after', 'names no event of this history')]))
    const events = await history.events(first, Math.min(limit, history.count - first))
    const told = await objects.listed(({ histories }) =>
      events.map((event) => {
        const position = log().positionAt(event.mark)
        if (position === undefined) throw new StoreUnavailable(`${event.stream}@${event.revision} has no position yet`)
        const changes = histories.changes(event, position)
        return JSON.stringify({ ...cloudEvent(event, position, origin), changes })
      }),
    )
    if (E.isLeft(told)) return told
    const { position, listed } = told.right
    const paging = { limit, offset, before: undefined }
    return E.right({ ...listing('events', paging, { documents: listed, count: history.count }), position })
  }

export const makeHistoryHandlers = (dependencies: HistoryDependencies): HistoryHandlers => {
  const { objects, views } = dependencies
  const answer = makeAnswer(dependencies)
  const log: Log = () => {
    const index = views.log()
    if (index === undefined) throw new StoreUnavailable('documents cannot be written')
    return index
  }
  return {
    sut: async ({ params, query }) => {
      const id = params.id ?? ''
      const found = await objects.newest('sut', id)
      if (E.isLeft(found)) return found
      if (found.right === undefined) return E.left(failure('sut_not_found', 'No SUT has this id.'))
      if (views.log() === undefined) return E.left(unlisted())
      const { created } = found.right
      const read = await objects.listed(({ histories }) => ({
        ports: histories.places('listen_port', id),
        events: histories.eventsOf(id),
      }))
      if (E.isLeft(read)) return read
      const { ports, events } = read.right.listed
      // A port is given before there is the SUT, and given back when nothing will be recorded of it any more.
      const [given, givenBack] = [true, false].map((isBefore) =>
        ports.filter((port) => port.position < created === isBefore),
      )
      const parts = [
        ofPlaces(dependencies, log, given ?? []),
        ofStream(dependencies, log, sutStream(id), events),
        ofPlaces(dependencies, log, givenBack ?? []),
      ]
      return answer(joined(parts), log, query)
    },
    reservation: async ({ params, query, user }) => {
      const id = params.id ?? ''
      const found = await objects.newest('reservation', id)
      if (E.isLeft(found)) return found
      if (found.right === undefined) return E.left(failure('reservation_not_found', 'No reservation has this id.'))
      const { user_id } = JSON.parse(found.right.document) as Reservation
      if (user.role === 'tester' && user_id !== user._id) {
        return E.left(failure('not_your_reservation', 'A tester may read the history of its own reservations only.'))
      }
      const read = await objects.listed(({ histories }) => histories.places('reservation', id))
      if (E.isLeft(read)) return read
      return answer(ofPlaces(dependencies, log, read.right.listed), log, query)
    },
  }
}
