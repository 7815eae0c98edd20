/** Reads of objects by id, and of what was at a past moment. */

import * as E from 'fp-ts/lib/Either.js'
import { failure, refuse } from '../../domain/failure.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { floorMillisecond, instantAt, isLater } from '../../domain/values/instant.ts'
import { BEFORE_FIRST, type PublicPosition } from '../../domain/values/position.ts'
import type { UnixMilliseconds } from '../../domain/values/units.ts'
import type { Version } from '../../read-models/tables/version.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import type { AsOfQuery } from '../codecs/lists.ts'
import { refuseParameter } from '../codecs/query.ts'
import type { Call, RouteResult } from '../protocol/call.ts'
import type { Refusal } from '../protocol/problem.ts'
import { beyondStored, type Dated, viewsBehind } from '../response/objects.ts'
import { findVisible } from '../response/visibility.ts'
import type { Parts } from './parts.ts'

/** Handles a read of an object that was found. @param now Unix milliseconds: of the moment as of which it is read */
export type Show<P, C> = (parts: P, call: C, version: Version, now: number) => RouteResult

interface Moment {
  /** The position of the last event by then; absent for now. */
  readonly asOf?: PublicPosition
  readonly now: UnixMilliseconds
}

/** The moment that is meant; now unless one is given. */
export const momentOf = async (
  { objects, views, store, clock }: Parts,
  { query: { as_of: asOf }, after = BEFORE_FIRST }: Pick<Call<unknown, AsOfQuery>, 'query' | 'after'>,
): Promise<E.Either<Refusal, Moment>> => {
  if (asOf === undefined) return E.right({ now: clock() })
  if ('instant' in asOf) {
    if (isLater(asOf.instant, instantAt(clock()))) return refuseParameter('as_of', 'is in the future')
    const now = floorMillisecond(asOf.instant)
    const read = await objects.showList('positionAt', now)
    if (E.isLeft(read)) return read
    const { listed, position } = read.right
    // More may have been recorded by that time than is written.
    return position < after ? E.left(beyondStored(position)) : E.right({ asOf: listed, now })
  }
  const { position } = asOf
  // Another instance may have got that far.
  if (position > views.position() && !(await waitForHead(views, store))) return E.left(viewsBehind())
  if (position > views.position()) return refuseParameter('as_of', 'is beyond the end of the log')
  const read = await objects.showList('timeAt', position)
  if (E.isLeft(read)) return read
  const { listed: now, position: reached } = read.right
  return now === undefined ? E.left(beyondStored(reached)) : E.right({ asOf: position, now })
}

const NOT_THEN = {
  sut: failure('sut_not_found', 'No SUT had this id at that time.'),
  reservation: failure('reservation_not_found', 'No reservation had this id at that time.'),
}

/** Finds an object as of the past, for those who see all. Catches up with the store before saying that there was none. */
const findThen = async (
  parts: Parts,
  call: Call<unknown, AsOfQuery>,
  kind: Dated,
  isCaughtUp: boolean,
): Promise<E.Either<Refusal, { readonly version: Version; readonly now: number }>> => {
  const { objects, views, store } = parts
  const moment = await momentOf(parts, call)
  if (E.isLeft(moment)) return moment
  const { asOf: position = BEFORE_FIRST, now } = moment.right
  const read = await objects.showList('versionAt', kind, isAssignedId(call.id) ? call.id : '', position)
  if (E.isLeft(read)) return read
  const version = read.right.listed
  if (version === undefined) {
    if (isCaughtUp) return E.left(NOT_THEN[kind])
    return (await waitForHead(views, store)) ? findThen(parts, call, kind, true) : E.left(viewsBehind())
  }
  if (version.ended === 'cancelled') {
    const detail = 'The reservation had been cancelled by then. Its history remains available.'
    return refuse('reservation_cancelled', detail)
  }
  return E.right({ version: { ...version, position }, now })
}

/** Handles requests about the object in the path, as the user sees it, or as of the past if the query says so. */
export const withVisible =
  <C extends Call<unknown>>(kind: Parameters<typeof findVisible>[2], show: Show<Parts, C>) =>
  async (parts: Parts, call: C): RouteResult => {
    const query = call.query as AsOfQuery | undefined
    if (query?.as_of === undefined) {
      const version = await findVisible(parts, call.user, kind, call.id)
      return E.isLeft(version) ? version : show(parts, call, version.right, parts.clock())
    }
    const past = await findThen(parts, { ...call, query }, kind as Dated, 'position' in query.as_of)
    return E.isLeft(past) ? past : show(parts, call, past.right.version, past.right.now)
  }
