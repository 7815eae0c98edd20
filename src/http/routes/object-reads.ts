import * as E from 'fp-ts/lib/Either.js'
import type { Logged } from '../../domain/event.ts'
import { failure, invalid } from '../../domain/failure.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { epochMillisecondsOf, floorMillisecond, instantAt, isLater } from '../../domain/values/instant.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { StoreUnavailable } from '../../event-store/event-store.ts'
import type { ListResult } from '../../read-models/list-reader.ts'
import type { Lists } from '../../read-models/lists/lists.ts'
import type { Version } from '../../read-models/tables/version.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import type { AsOf, AsOfQuery } from '../codecs/lists.ts'
import { inQuery } from '../codecs/query.ts'
import type { Call, RouteResult } from '../protocol/call.ts'
import type { Refusal } from '../protocol/problem.ts'
import { type Dated, ifReaching, viewsBehind } from '../response/objects.ts'
import { findNewest, visibleTo } from '../response/visibility.ts'
import type { Parts } from './parts.ts'

/** Reads of objects by id, and of what was at a past moment. */

/** Handles a read of an object that was found. */
export type Show<P, C> = (parts: P, call: C, version: Version) => RouteResult

/** Handles requests about the object in the path, as the user sees it. */
export const withVisible =
  <P extends Pick<Parts, 'objects'>, C extends Call<unknown>>(
    kind: Parameters<typeof findNewest>[1],
    show: Show<P, C>,
  ) =>
  async (parts: P, call: C): RouteResult => {
    const found = await findNewest(visibleTo(parts.objects, call.user), kind, call.id)
    return E.isLeft(found) ? found : show(parts, call, found.right)
  }

type Read<A> = Promise<E.Either<Refusal, A>>

const future = (detail: string): Refusal => invalid([inQuery('as_of', detail)])

/** The position that is meant; for a date-time, that of the last event recorded at or before it. */
const positionOf = async ({ objects, views, store, clock }: Parts, asOf: AsOf): Read<PublicPosition> => {
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

/** @throws StoreUnavailable if it cannot be read */
export const readEventAt = async ({ views, store }: Parts, position: PublicPosition): Promise<Logged> => {
  const storePosition = (views.log() ?? views.stored()?.log)?.storePositionAt(position)
  const event = storePosition === undefined ? undefined : await store.at(storePosition)
  if (event === undefined) throw new StoreUnavailable(`the event at position ${position} cannot be read`)
  return event
}

/** The moment that is meant, in Unix milliseconds; now unless one is given. */
export const momentOf = async (parts: Parts, asOf: AsOf | undefined): Read<number> => {
  if (asOf === undefined) return E.right(parts.clock())
  if ('instant' in asOf) return E.right(floorMillisecond(asOf.instant))
  const position = await positionOf(parts, asOf)
  if (E.isLeft(position)) return position
  return E.right(epochMillisecondsOf((await readEventAt(parts, position.right)).metadata.time))
}

/** What is read as of a position shows that position. */
const showAsOf = <A>(
  position: PublicPosition,
  read: E.Either<Refusal, ListResult<A>>,
): E.Either<Refusal, ListResult<A>> =>
  E.map(({ listed }: ListResult<A>) => ({ listed, position }))(ifReaching(position, read))

/** Reads a list as of a moment; now unless one is given. */
export const showListAsOf = async <Name extends 'reservations' | 'suts'>(
  parts: Parts,
  name: Name,
  query: Parameters<Lists[Name]>[0],
  asOf: AsOf | undefined,
): Read<ListResult<ReturnType<Lists[Name]>>> => {
  const { showList } = parts.objects
  if (asOf === undefined) return showList(name, ...([query] as Parameters<Lists[Name]>))
  const position = await positionOf(parts, asOf)
  if (E.isLeft(position)) return position
  const then = { ...query, asOf: position.right }
  return showAsOf(position.right, await showList(name, ...([then] as Parameters<Lists[Name]>)))
}

/** Reads the version current then. Catches up with the store before answering that there was none. */
const readVersion = async (
  parts: Parts,
  kind: Dated,
  id: string,
  asOf: AsOf,
): Read<ListResult<Version | undefined>> => {
  const { objects, views, store } = parts
  let isCaughtUp = 'position' in asOf
  for (;;) {
    const position = await positionOf(parts, asOf)
    if (E.isLeft(position)) return position
    const read = showAsOf(position.right, await objects.showList('versionAt', kind, id, position.right))
    if (E.isLeft(read) || read.right.listed !== undefined || isCaughtUp) return read
    if (!(await waitForHead(views, store))) return E.left(viewsBehind())
    isCaughtUp = true
  }
}

const showThen = async <C extends Call<unknown>>(
  parts: Parts,
  call: C,
  kind: Dated,
  asOf: AsOf,
  show: Show<Parts, C>,
): RouteResult => {
  const { id } = call
  const read = await readVersion(parts, kind, isAssignedId(id) ? id : '', asOf)
  if (E.isLeft(read)) return read
  const { listed: version, position } = read.right
  if (version === undefined) {
    return E.left(
      kind === 'sut'
        ? failure('sut_not_found', 'No SUT had this id at that time.')
        : failure('reservation_not_found', 'No reservation had this id at that time.'),
    )
  }
  if (version.ended === 'cancelled') {
    const detail = 'The reservation had been cancelled by then. Its history remains available.'
    return E.left(failure('reservation_cancelled', detail))
  }
  return show(parts, call, { ...version, position })
}

/** Handles a read of an object: as it is now with `newest`, and as of a past moment with `show`. */
export const nowOrAsOf =
  <C extends Call<unknown, AsOfQuery>>(
    kind: Dated,
    newest: (parts: Parts, call: C) => RouteResult,
    show: Show<Parts, C>,
  ) =>
  (parts: Parts, call: C): RouteResult => {
    const { as_of } = call.query
    return as_of === undefined ? newest(parts, call) : showThen(parts, call, kind, as_of, show)
  }
