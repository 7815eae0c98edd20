import * as E from 'fp-ts/lib/Either.js'
import { failure, invalid } from '../../domain/failure.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { epochMillisecondsOf, floorMillisecond, isLater } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { ListPage, ReservationListQuery, SutListQuery } from '../../read-models/lists/lists.ts'
import type { ListResult } from '../../read-models/long-reads.ts'
import { type Moment, momentAfter } from '../../read-models/tables/time-index.ts'
import type { Version } from '../../read-models/tables/version.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import type { AsOf, AsOfQuery } from '../codecs/as-of.ts'
import { inQuery } from '../codecs/query.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import { type Dated, documentResponse, ifReaching, viewsBehind } from '../response/objects.ts'
import type { Parts } from './parts.ts'

type Read<A> = Promise<E.Either<Refusal, A>>

/** A past moment, located in the log. */
export interface PastMoment {
  readonly moment: Moment
  /** The public position that responses show. */
  readonly position: PublicPosition
}

/** Reads as of a past moment. */
export interface AsOfReads {
  readonly find: (asOf: AsOf) => Read<PastMoment>
  /** The moment in Unix milliseconds. */
  readonly timeOf: (asOf: AsOf) => Promise<number>
  /** Responds with `show` of an object as of a moment, by default its document, or with `newest` if none is given. */
  readonly readOr: <C extends Call<unknown, AsOfQuery>>(
    kind: Dated,
    call: C,
    newest: (call: C) => RouteResult,
    show?: (version: Version, call: C) => RouteResult,
  ) => RouteResult
  readonly reservations: (query: ReservationListQuery, then: PastMoment) => Read<ListResult<ListPage>>
  readonly suts: (query: SutListQuery, then: PastMoment) => Read<ListResult<ListPage>>
}

/** A list as of a moment shows the position of the moment. */
const showAsOf = <A>(
  { position }: PastMoment,
  read: E.Either<Refusal, ListResult<A>>,
): E.Either<Refusal, ListResult<A>> =>
  E.map(({ listed }: ListResult<A>) => ({ listed, position }))(ifReaching(position, read))

/** The version current at a moment, if any. */
interface Found {
  readonly version: Version | undefined
  readonly position: PublicPosition
}

export type AsOfDependencies = Pick<Parts, 'objects' | 'views' | 'store' | 'clock'>

const future = (detail: string): Refusal => invalid([inQuery('as_of', detail)])

const notFoundThen = (kind: Dated): Refusal =>
  kind === 'sut'
    ? failure('sut_not_found', 'No SUT had this id at that time.')
    : failure('reservation_not_found', 'No reservation had this id at that time.')

type Find = AsOfReads['find']

const makeFind = (dependencies: AsOfDependencies): Find => {
  const { objects, views, store, clock } = dependencies
  return async (asOf) => {
    if ('position' in asOf) {
      const { position } = asOf
      // Another instance may have got that far.
      if (position > views.position() && !(await waitForHead(views, store))) return E.left(viewsBehind())
      if (position > views.position()) return E.left(future('is beyond the end of the log'))
      return E.right({ moment: momentAfter(position), position })
    }
    if (isLater(asOf.instant, clock())) return E.left(future('is in the future'))
    const time = floorMillisecond(asOf.instant)
    const found = await objects.showLists(({ past }, last) => past.momentAt(time, last))
    return E.map(({ listed, position }: { listed: Moment; position: PublicPosition }) => ({
      moment: listed,
      position,
    }))(found)
  }
}

/** Reads the version current then. Catches up with the store before answering that there was none. */
const makeReadVersion = (dependencies: AsOfDependencies, find: Find) => {
  const { objects, views, store } = dependencies
  return async (kind: Dated, id: string, asOf: AsOf): Read<Found> => {
    let isCaughtUp = 'position' in asOf
    for (;;) {
      const at = await find(asOf)
      if (E.isLeft(at)) return at
      const { moment, position } = at.right
      const read = ifReaching(position, await objects.showLists(({ past }) => past.version(kind, id, moment)))
      if (E.isLeft(read)) return read
      const version = read.right.listed
      if (version !== undefined || isCaughtUp) return E.right({ version, position })
      if (!(await waitForHead(views, store))) return E.left(viewsBehind())
      isCaughtUp = true
    }
  }
}

export const makeAsOfReads = (dependencies: AsOfDependencies): AsOfReads => {
  const { objects, views, store } = dependencies
  const find = makeFind(dependencies)
  const readVersion = makeReadVersion(dependencies, find)
  return {
    find,
    timeOf: async (asOf) => {
      if ('instant' in asOf) return floorMillisecond(asOf.instant)
      const storePosition = (views.log() ?? views.stored()?.log)?.storePositionAt(asOf.position)
      const event = storePosition === undefined ? undefined : await store.at(storePosition)
      if (event === undefined) throw new StoreUnavailable(`the event at position ${asOf.position} cannot be read`)
      return epochMillisecondsOf(event.metadata.time)
    },
    readOr: async (kind, call, newest, show) => {
      const { as_of } = call.query
      if (as_of === undefined) return newest(call)
      const id = call.params.id ?? ''
      const read = await readVersion(kind, isAssignedId(id) ? id : '', as_of)
      if (E.isLeft(read)) return read
      const { version, position } = read.right
      if (version === undefined) return E.left(notFoundThen(kind))
      if (version.ended === 'cancelled') {
        const detail = 'The reservation had been cancelled by then. Its history remains available.'
        return E.left(failure('reservation_cancelled', detail))
      }
      const shown = { ...version, position }
      return show === undefined ? E.right(documentResponse(kind, shown, false)) : show(shown, call)
    },
    reservations: async (query, then) => showAsOf(then, await objects.showList('pastReservations', query, then.moment)),
    suts: async (query, then) => showAsOf(then, await objects.showList('pastSuts', query, then.moment)),
  }
}
