import * as E from 'fp-ts/lib/Either.js'
import { orUnavailable } from '../../../commands/matching/offers.ts'
import { quarterAt, type Window } from '../../../domain/calendar/window.ts'
import { type Failure, failure, invalid } from '../../../domain/failure.ts'
import { floorMillisecond, formatWithOffset } from '../../../domain/values/instant.ts'
import type { AvailablePage, AvailableQuery as AvailableRead } from '../../../read-models/availability/available.ts'
import type { ListResult } from '../../../read-models/list-reader.ts'
import { findRanked, type RankedAfter } from '../../../read-models/matching/ranked.ts'
import type { User } from '../../../users/user.ts'
import { type AvailableSutsQuery, availableQuery, formatCursor } from '../../codecs/availability.ts'
import { inQuery } from '../../codecs/query.ts'
import { everyone, get, refTo } from '../../protocol/declaration.ts'
import type { Call, RouteResult } from '../../protocol/route.ts'
import type { Parts } from '../parts.ts'
import { findPresent } from '../users/user-changes.ts'
import { freeSpan, spanOf } from './span.ts'

/** Days of a span. */
const DAYS_MAX = 31
const SPAN_MAX_MS = DAYS_MAX * 86_400_000

type AvailableCall = Call<unknown, AvailableSutsQuery>

type Available = AvailablePage<{ readonly sut_id: string } | RankedAfter>

/** Reads what filters or criteria find, with the position that it shows. */
const readAvailable = async (
  { objects, clock, limits, suts }: Parts,
  { query: { wanted, after }, requestId }: AvailableCall,
  asked: AvailableRead,
  free: Window | undefined,
): Promise<E.Either<Failure, ListResult<Available>>> => {
  if ('filters' in wanted) {
    const place = after !== undefined && 'sut_id' in after ? after : undefined
    return objects.showList('available', { ...asked, filters: { ...wanted.filters, free }, after: place })
  }
  const now = clock()
  const position = await objects.reached()
  if (E.isLeft(position)) return position
  const place = after !== undefined && 'rest' in after ? after : undefined
  const latest = Math.floor((now + limits.horizon) / 1000)
  const ranked = { criteria: wanted.match, quarter: quarterAt(now), latest, seed: requestId, after: place }
  return orUnavailable(async () => {
    const listed = await findRanked(await suts(), { ...asked, ...ranked })
    return E.right({ position: position.right, listed })
  })
}

/** The user to reserve for, as far as an administrator asks for another. */
const holderOf = async (users: Parts['users'], { query, user }: AvailableCall): Promise<E.Either<Failure, User>> => {
  const { user_id = user._id } = query
  if (user_id === user._id) return E.right(user)
  return user.role === 'administrator'
    ? findPresent(users, user_id)
    : E.left(failure('forbidden', 'Only administrators ask for others.'))
}

/** What SUTs have free. */
const respond = async (parts: Parts, call: AvailableCall): RouteResult => {
  const { users, clock, limits } = parts
  const { from, to, duration, limit, wanted } = call.query
  const now = clock()
  const first = from === undefined ? now : floorMillisecond(from.instant)
  if (to !== undefined && floorMillisecond(to.instant) > first + SPAN_MAX_MS) {
    return E.left(invalid([inQuery('to', `must be at most ${DAYS_MAX} days after from`)]))
  }
  const spanOfFilter = 'filters' in wanted ? wanted.filters.free : undefined
  const free = spanOfFilter && freeSpan(spanOfFilter, now)
  if (spanOfFilter !== undefined && free === undefined) return E.left(invalid([inQuery('free_to', 'is in the past')]))
  const holder = await holderOf(users, call)
  if (E.isLeft(holder)) return holder
  // Only testers have scopes, and ask for themselves only.
  const { scope } = holder.right
  const span = spanOf({ from, to }, now, limits.horizon)
  const answered = await readAvailable(parts, call, { span, duration, limit, scope }, free)
  if (E.isLeft(answered)) return answered
  const { position, listed } = answered.right
  const offset = (from ?? to)?.offset ?? 0
  const write = (time: number): string => formatWithOffset(time, offset)
  const window = ({ start, end }: Window) => ({ start_time: write(start), end_time: write(end) })
  const suts = listed.suts.map(({ _id, name, free, next, turnaround }) => ({
    ...{ _id, name, free: free.map(window), next: next === undefined ? null : write(next) },
    turnaround: turnaround.map(window),
  }))
  const next = listed.next === undefined ? null : formatCursor(listed.next)
  return E.right({ status: 200, body: JSON.stringify({ limit, next, suts }), position })
}

export const findAvailability = get({
  path: '/api/availability',
  id: 'findAvailability',
  summary: 'Find SUTs with free windows',
  description:
    'Active SUTs in scope with something free of at least duration, newest created first, found by the filters of the list of SUTs. With match, SUTs that fit and are not known to be offline, in the order in which a create with the same match would try them for the earliest such window of each. At most 100 free windows of each SUT; its next is where the following one begins. turnaround is neither held nor free. The next of the page continues it.',
  roles: everyone,
  query: availableQuery,
  answer: refTo('AvailabilityList'),
  refusals: ['forbidden', 'user_not_found', 'user_removed', 'store_full'],
  handler: respond,
})
