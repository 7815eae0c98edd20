import * as E from 'fp-ts/lib/Either.js'
import { failure, invalid } from '../../domain/failure.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { epochMillisecondsOf, floorMillisecond, instantAt, isLater } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { type EventStore, StoreUnavailable } from '../../event-store/event-store.ts'
import type { ListResult } from '../../read-models/list-reader.ts'
import type { ReservationListQuery } from '../../read-models/lists/reservations.ts'
import type { SutListQuery } from '../../read-models/lists/suts.ts'
import type { Version } from '../../read-models/tables/version.ts'
import type { Views } from '../../read-models/views.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import type { AsOf, AsOfQuery } from '../codecs/as-of.ts'
import { inQuery } from '../codecs/query.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import { type Dated, documentResponse, ifReaching, type Objects, viewsBehind } from '../response/objects.ts'

type Read<A> = Promise<E.Either<Refusal, A>>

/** What is read as of a position shows that position. */
const showAsOf = <A>(
  position: PublicPosition,
  read: E.Either<Refusal, ListResult<A>>,
): E.Either<Refusal, ListResult<A>> =>
  E.map(({ listed }: ListResult<A>) => ({ listed, position }))(ifReaching(position, read))

interface AsOfDependencies {
  readonly objects: Objects
  readonly views: Views
  readonly store: EventStore
  /** Unix milliseconds. */
  readonly clock: () => number
}

const future = (detail: string): Refusal => invalid([inQuery('as_of', detail)])

const notFoundThen = (kind: Dated): Refusal =>
  kind === 'sut'
    ? failure('sut_not_found', 'No SUT had this id at that time.')
    : failure('reservation_not_found', 'No reservation had this id at that time.')

/** Finds the position that is meant; for a date-time, that of the last event recorded at or before it. */
const makeFind = (dependencies: AsOfDependencies) => {
  const { objects, views, store, clock } = dependencies
  return async (asOf: AsOf): Read<PublicPosition> => {
    if ('position' in asOf) {
      const { position } = asOf
      // Another instance may have got that far.
      if (position > views.position() && !(await waitForHead(views, store))) return E.left(viewsBehind())
      return position > views.position() ? E.left(future('is beyond the end of the log')) : E.right(position)
    }
    if (isLater(asOf.instant, instantAt(clock()))) return E.left(future('is in the future'))
    const time = floorMillisecond(asOf.instant)
    return E.map(({ listed }: ListResult<PublicPosition>) => listed)(await objects.showList('positionAt', time))
  }
}

/** Reads the version current then. Catches up with the store before answering that there was none. */
const makeReadVersion = (dependencies: AsOfDependencies, find: ReturnType<typeof makeFind>) => {
  const { objects, views, store } = dependencies
  return async (kind: Dated, id: string, asOf: AsOf): Read<ListResult<Version | undefined>> => {
    let isCaughtUp = 'position' in asOf
    for (;;) {
      const position = await find(asOf)
      if (E.isLeft(position)) return position
      const read = showAsOf(position.right, await objects.showList('versionAt', kind, id, position.right))
      if (E.isLeft(read) || read.right.listed !== undefined || isCaughtUp) return read
      if (!(await waitForHead(views, store))) return E.left(viewsBehind())
      isCaughtUp = true
    }
  }
}

/** Reads as of the past. */
export const makeAsOfReads = (dependencies: AsOfDependencies) => {
  const { objects, views, store } = dependencies
  const find = makeFind(dependencies)
  const readVersion = makeReadVersion(dependencies, find)
  return {
    find,
    /** The moment in Unix milliseconds. */
    timeOf: async (asOf: AsOf): Promise<number> => {
      if ('instant' in asOf) return floorMillisecond(asOf.instant)
      const storePosition = (views.log() ?? views.stored()?.log)?.storePositionAt(asOf.position)
      const event = storePosition === undefined ? undefined : await store.at(storePosition)
      if (event === undefined) throw new StoreUnavailable(`the event at position ${asOf.position} cannot be read`)
      return epochMillisecondsOf(event.metadata.time)
    },
    /** Responds with `show` of an object as of a moment, by default its document, or with `newest` if none is given. */
    readOr: async <C extends Call<unknown, AsOfQuery>>(
      kind: Dated,
      call: C,
      newest: (call: C) => RouteResult,
      show?: (version: Version, call: C) => RouteResult,
    ): RouteResult => {
      const { as_of } = call.query
      if (as_of === undefined) return newest(call)
      const id = call.params.id ?? ''
      const read = await readVersion(kind, isAssignedId(id) ? id : '', as_of)
      if (E.isLeft(read)) return read
      const { listed: version, position } = read.right
      if (version === undefined) return E.left(notFoundThen(kind))
      if (version.ended === 'cancelled') {
        const detail = 'The reservation had been cancelled by then. Its history remains available.'
        return E.left(failure('reservation_cancelled', detail))
      }
      const shown = { ...version, position }
      return show === undefined ? E.right(documentResponse(kind, shown, false)) : show(shown, call)
    },
    reservations: async (query: ReservationListQuery, position: PublicPosition) =>
      showAsOf(position, await objects.showList('reservations', { ...query, asOf: position })),
    suts: async (query: SutListQuery, position: PublicPosition) =>
      showAsOf(position, await objects.showList('suts', { ...query, asOf: position })),
  }
}

export type AsOfReads = ReturnType<typeof makeAsOfReads>
