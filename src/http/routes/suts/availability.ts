import * as E from 'fp-ts/lib/Either.js'
import type { Sut, SutInternal } from '../../../../projections/sut.ts'
import { findFreeWindows } from '../../../domain/calendar/free-windows.ts'
import {
  alignToGrid,
  ceilToQuarter,
  floorToQuarter,
  QUARTER,
  quarterAt,
  reachOf,
  type Window,
} from '../../../domain/calendar/window.ts'
import { type Failure, failure, invalid } from '../../../domain/failure.ts'
import { addSeconds, floorMillisecond, formatWithOffset, instantAt } from '../../../domain/values/instant.ts'
import type { ListResult } from '../../../read-models/list-reader.ts'
import type { AvailablePage, AvailableQuery as AvailableRead } from '../../../read-models/lists/available.ts'
import { findRanked, type RankedAfter } from '../../../read-models/matching/ranked.ts'
import { type AvailableSutsQuery, availableQuery, formatCursor } from '../../codecs/availability.ts'
import type { TimeSpan } from '../../codecs/lists.ts'
import { inQuery } from '../../codecs/query.ts'
import { type AvailabilityQuery, availabilityQuery, type SutsQuery } from '../../codecs/suts.ts'
import { type Declaration, everyone, get, refTo } from '../../protocol/declaration.ts'
import type { Call, RouteResult } from '../../protocol/route.ts'
import { ifReaching } from '../../response/objects.ts'
import { type Show, withVisible } from '../object-reads.ts'
import type { Parts } from '../parts.ts'
import { OF_SUT } from '../refusals.ts'
import { findPresent } from '../users/user-reads.ts'

/** Free windows of a SUT per response. */
const FREE_MAX = 1_000
/** Seconds: the default length of the span. */
const SPAN = 7 * 86_400
/** Days of a span of many SUTs. */
const DAYS_MAX = 31
const SPAN_MAX_MS = DAYS_MAX * 86_400_000

/** The requested span on the grid, without quarters that are past or beyond the horizon. */
const spanOf = ({ from, to }: TimeSpan, { clock, limits }: Pick<Parts, 'clock' | 'limits'>): Window => {
  const now = clock()
  const start = from?.instant ?? instantAt(now)
  const end = to?.instant ?? addSeconds(start, SPAN)
  return {
    start: Math.max(floorToQuarter(start), quarterAt(now)),
    end: Math.min(ceilToQuarter(end), quarterAt(now + limits.horizon) + QUARTER),
  }
}

/**
 * The span in which SUTs are to be free, on the grid, without what is past, so that what was released in the current
 * quarter-hour is free again. Refused if all of it is past.
 */
export const freeSpan = (free: SutsQuery['free'], now: number): E.Either<Failure, Window | undefined> => {
  if (free === undefined) return E.right(undefined)
  const { start, end } = alignToGrid(free.from.instant, free.to.instant)
  if (end * 1000 <= now) return E.left(invalid([inQuery('free_to', 'is in the past')]))
  return E.right({ start: Math.max(start, Math.min(Math.ceil(now / 1000), end - 1)), end })
}

/** Writes windows, and where the next one begins, with the offset of the request. */
const writerFor = ({ from, to }: TimeSpan) => {
  const offset = (from ?? to)?.offset ?? 0
  const write = (time: number): string => formatWithOffset(time, offset)
  return {
    windows: (windows: readonly Window[]) =>
      windows.map(({ start, end }) => ({ start_time: write(start), end_time: write(end) })),
    next: (time: number | undefined) => (time === undefined ? null : write(time)),
  }
}

const showOne: Show<Parts, Call<unknown, AvailabilityQuery>> = async (parts, { query }, sut) => {
  const { id, document, internal, created, ended } = sut
  if (ended === 'retired') return E.left(failure('sut_retired', 'The SUT has been retired and cannot be reserved.'))
  const span = spanOf(query, parts)
  const { turnaround = 0 } = (JSON.parse(internal) as SutInternal).settings
  const read = ifReaching(created, await parts.objects.showList('held', id, reachOf(span, turnaround)))
  if (E.isLeft(read)) return read
  const { position, listed: held } = read.right
  // An inactive SUT cannot be reserved at all.
  const { is_active } = JSON.parse(document) as Sut
  const { windows, next } = findFreeWindows(is_active ? held : [span], span, query.duration, FREE_MAX, turnaround)
  const write = writerFor(query)
  return E.right({
    status: 200,
    body: JSON.stringify({ free: write.windows(windows), next: write.next(next) }),
    position,
  })
}

type AvailableCall = Call<unknown, AvailableSutsQuery>
type Available = AvailablePage<{ readonly sut_id: string } | RankedAfter>

/** Reads what filters or criteria find, with the position that it shows. */
const readAvailable = async (
  { objects, clock, limits, suts }: Parts,
  { query: { wanted, after }, requestId }: AvailableCall,
  asked: AvailableRead,
): Promise<E.Either<Failure, ListResult<Available>>> => {
  const now = clock()
  if ('filters' in wanted) {
    const free = freeSpan(wanted.filters.free, now)
    if (E.isLeft(free)) return free
    const filters = { ...wanted.filters, free: free.right }
    return objects.showList('available', { ...asked, filters, after: after && 'sut_id' in after ? after : undefined })
  }
  const position = await objects.reached()
  if (E.isLeft(position)) return position
  const latest = Math.floor((now + limits.horizon) / 1000)
  const ranked = { criteria: wanted.match, quarter: quarterAt(now), latest, seed: requestId }
  const place = after && 'rest' in after ? after : undefined
  const listed = await findRanked(await suts(), { ...asked, ...ranked, after: place })
  return E.right({ position: position.right, listed })
}

/** What SUTs have free for the caller, or for whom an administrator names. */
const list = async (parts: Parts, call: AvailableCall): RouteResult => {
  const { query, user } = call
  const { from, to, duration, limit, user_id = user._id } = query
  const first = from === undefined ? parts.clock() : floorMillisecond(from.instant)
  if (to !== undefined && floorMillisecond(to.instant) > first + SPAN_MAX_MS) {
    return E.left(invalid([inQuery('to', `must be at most ${DAYS_MAX} days after from`)]))
  }
  if (user_id !== user._id && user.role !== 'administrator') {
    return E.left(failure('forbidden', 'Only administrators ask for others.'))
  }
  const holder = user_id === user._id ? E.right(user) : await findPresent(parts.users, user_id)
  if (E.isLeft(holder)) return holder
  // Only testers have scopes, and ask for themselves only.
  const { scope } = holder.right
  const read = await readAvailable(parts, call, { span: spanOf(query, parts), duration, limit, scope })
  if (E.isLeft(read)) return read
  const { position, listed } = read.right
  const write = writerFor(query)
  const suts = listed.suts.map(({ _id, name, free, next, turnaround }) => ({
    ...{ _id, name, free: write.windows(free), next: write.next(next), turnaround: write.windows(turnaround) },
  }))
  const next = listed.next === undefined ? null : formatCursor(listed.next)
  return E.right({ status: 200, body: JSON.stringify({ limit, next, suts }), position })
}

export const availabilityRoutes: readonly Declaration<Parts>[] = [
  get('/api/sut/:id/availability', {
    id: 'readAvailability',
    summary: 'Find the free windows of a SUT',
    description: 'At most 1,000 windows. If there are more, next is the from with which to go on.',
    roles: everyone,
    query: availabilityQuery,
    answer: refTo('Availability'),
    refusals: [...OF_SUT, 'store_full'],
    handler: withVisible('sut', showOne),
  }),
  get('/api/availability', {
    id: 'findAvailability',
    summary: 'Find SUTs with free windows',
    description:
      'Active SUTs in scope with something free of at least duration, newest created first, found by the filters of the list of SUTs. With match, SUTs that fit and are not known to be offline, in the order in which a create with the same match would try them for the earliest such window of each. At most 100 free windows of each SUT; its next is where the following one begins. turnaround is neither held nor free. The next of the page continues it.',
    roles: everyone,
    query: availableQuery,
    answer: refTo('AvailabilityList'),
    refusals: ['forbidden', 'user_not_found', 'user_removed', 'store_full'],
    handler: list,
  }),
]
