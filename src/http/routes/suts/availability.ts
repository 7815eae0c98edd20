import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Sut, SutInternal } from '../../../../projections/sut.ts'
import { findFreeWindows } from '../../../domain/calendar/free-windows.ts'
import {
  ceilToQuarter,
  floorToQuarter,
  QUARTER,
  quarterAt,
  reachOf,
  type Window,
} from '../../../domain/calendar/window.ts'
import { described, instant, integer, opaqueId, parsed, text } from '../../../domain/codec/codec.ts'
import { schemaOf, withSchema } from '../../../domain/codec/json-schema.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { AskedCriteria, type Criteria } from '../../../domain/events/criteria.ts'
import { type Failure, refuse } from '../../../domain/failure.ts'
import { isAssignedId } from '../../../domain/values/ids.ts'
import { addSeconds, floorMillisecond, formatWithOffset, instantAt } from '../../../domain/values/instant.ts'
import type { ListResult } from '../../../read-models/list-reader.ts'
import type { AvailablePage, AvailableQuery as AvailableRead } from '../../../read-models/lists/available.ts'
import { findRanked, type RankedAfter } from '../../../read-models/matching/ranked.ts'
import { inOrder, span, type TimeSpan } from '../../codecs/lists.ts'
import { inQuery, type QueryOf, queryOf, type Rule, refuseParameter, wholeNumber } from '../../codecs/query.ts'
import type { Call, RouteResult } from '../../protocol/call.ts'
import { everyone, get, type Route, refTo } from '../../protocol/route.ts'
import { OF_SUT } from '../create-reservation.ts'
import { type Show, withVisible } from '../object-reads.ts'
import type { Parts } from '../parts.ts'
import { findPresent } from '../users/user-reads.ts'
import { freeRules, freeSpan, sutFilters } from './sut-reads.ts'

/** Seconds: the shortest free window unless the request says otherwise. */
const DURATION = 900
const durationParameter = described(
  wholeNumber(1, Number.MAX_SAFE_INTEGER),
  'The shortest window to return, in seconds; 900 by default.',
)

const oneQuery = queryOf({ ...span, duration: durationParameter }, { rules: [inOrder('from', 'to')] })

/** Undefined for what is no JSON, or no such JSON. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const criteria = withSchema(
  new t.Type<Criteria, Criteria, unknown>(
    'criteria',
    AskedCriteria.is,
    (u, c) => {
      const value = parseJson(String(u))
      return value === undefined
        ? t.failure(u, c, 'must be JSON, like {"os":"windows"}')
        : AskedCriteria.validate(value, c)
    },
    t.identity,
  ),
  () => ({ type: 'string', contentMediaType: 'application/json', contentSchema: schemaOf(AskedCriteria) }),
)

const moment = integer(0, 0xffff_ffff)
/** A place in the order of matching, as its cursor says it. */
const Place = closed(
  'Place',
  { quarter: moment, seed: text(1, 64), start: moment, rest: moment, idleDays: moment, hash: moment },
  {},
)

const CURSOR_MAX = 400

/** Where a page of SUTs ended: after one in the order of creation, or after one in the order of matching. */
type OfferedAfter = { readonly sut_id: string } | RankedAfter

/** The text of a cursor: an id, or a place as JSON in base64url, which begins otherwise. */
const formatCursor = (after: OfferedAfter): string =>
  'sut_id' in after ? after.sut_id : Buffer.from(JSON.stringify(after)).toString('base64url')

const MUST_BE_NEXT = 'must be next of a page'
const cursor = parsed<OfferedAfter>(
  'cursor',
  (text) => {
    if (isAssignedId(text)) return E.right({ sut_id: text })
    const json = text.length <= CURSOR_MAX ? Buffer.from(text, 'base64url').toString() : ''
    return E.mapLeft(() => MUST_BE_NEXT)(Place.decode(parseJson(json)))
  },
  MUST_BE_NEXT,
  () => ({ type: 'string', maxLength: CURSOR_MAX, pattern: '^[A-Za-z0-9_-]+$' }),
)

/** A SUT is looked for by filters or by criteria. */
const eitherFiltersOrMatch: Rule = (given) =>
  given.has('match')
    ? [...given.keys()]
        .filter((name) => Object.hasOwn(sutFilters, name) || name.startsWith('tag.'))
        .map((name) => inQuery(name, 'cannot be combined with match'))
    : []

/** Pages of SUTs in the order of their creation go on after an id, those in the order of matching after a place. */
const ofSameList: Rule = (given) => {
  const after = cursor.decode(given.get('after'))
  return E.isRight(after) && 'sut_id' in after.right === given.has('match')
    ? [inQuery('after', 'must be next of a page of the same list')]
    : []
}

const [LIMIT_DEFAULT, LIMIT_MAX] = [20, 100]

/** What SUTs have free, or the SUTs that would be reserved for criteria: for `user_id`, the caller unless given. */
const listQuery = queryOf(
  {
    from: described(instant, 'The start of the span; now by default.'),
    to: described(instant, 'The end of the span, at most 31 days after its start; 7 days after it by default.'),
    duration: durationParameter,
    limit: described(wholeNumber(1, LIMIT_MAX), 'The maximum number of SUTs; 20 by default.'),
    after: described(cursor, 'The next of the page before.'),
    user_id: described(
      opaqueId,
      'For whom: SUTs in the scope of that user. Administrators name anybody, others only themselves.',
    ),
    match: described(criteria, 'Criteria as JSON, as in a create. Cannot be combined with filters.'),
    ...sutFilters,
  },
  { rules: [inOrder('from', 'to'), ...freeRules, eitherFiltersOrMatch, ofSameList] },
)

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

const showOne: Show<Parts, Call<unknown, QueryOf<typeof oneQuery>>> = async (parts, { query }, sut) => {
  const { id, document, internal, ended } = sut
  const { duration = DURATION } = query
  if (ended === 'retired') return refuse('sut_retired', 'The SUT has been retired and cannot be reserved.')
  const span = spanOf(query, parts)
  const { turnaround = 0 } = (JSON.parse(internal) as SutInternal).settings
  const read = await parts.objects.showList('heldBy', [id], reachOf(span, turnaround))
  if (E.isLeft(read)) return read
  const { position, listed: held } = read.right
  // An inactive SUT cannot be reserved at all.
  const { is_active } = JSON.parse(document) as Sut
  const { windows, next } = findFreeWindows(is_active ? held : [span], span, duration, FREE_MAX, turnaround)
  const write = writerFor(query)
  return E.right({
    status: 200,
    body: JSON.stringify({ free: write.windows(windows), next: write.next(next) }),
    position,
  })
}

type AvailableCall = Call<unknown, QueryOf<typeof listQuery>>
type Available = AvailablePage<OfferedAfter>

/** Reads what filters or criteria find, with the position that it shows. */
const readAvailable = async (
  { objects, clock, limits, suts }: Parts,
  { query, requestId }: AvailableCall,
  asked: AvailableRead,
): Promise<E.Either<Failure, ListResult<Available>>> => {
  const now = clock()
  const { match, after, sut_type, is_active, monitoring, name, 'tag.': tags = {} } = query
  if (match === undefined) {
    const free = freeSpan(query, now)
    if (E.isLeft(free)) return free
    const filters = { sut_type, is_active, monitoring, name, tags, free: free.right }
    return objects.showList('available', { ...asked, filters, after: after && 'sut_id' in after ? after : undefined })
  }
  const position = await objects.reached()
  if (E.isLeft(position)) return position
  const latest = Math.floor((now + limits.horizon) / 1000)
  const ranked = { criteria: match, quarter: quarterAt(now), latest, seed: requestId }
  const place = after && 'rest' in after ? after : undefined
  const listed = await findRanked(await suts(), { ...asked, ...ranked, after: place })
  return E.right({ position: position.right, listed })
}

/** What SUTs have free for the caller, or for whom an administrator names. */
const list = async (parts: Parts, call: AvailableCall): RouteResult => {
  const { query, user } = call
  const { from, to, duration = DURATION, limit = LIMIT_DEFAULT, user_id = user._id } = query
  const first = from === undefined ? parts.clock() : floorMillisecond(from.instant)
  if (to !== undefined && floorMillisecond(to.instant) > first + SPAN_MAX_MS) {
    return refuseParameter('to', `must be at most ${DAYS_MAX} days after from`)
  }
  if (user_id !== user._id && user.role !== 'administrator') {
    return refuse('forbidden', 'Only administrators ask for others.')
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

export const availabilityRoutes: readonly Route<Parts>[] = [
  get('/api/sut/:id/availability', {
    id: 'readAvailability',
    summary: 'Find the free windows of a SUT',
    description: 'At most 1,000 windows. If there are more, next is the from with which to go on.',
    roles: everyone,
    query: oneQuery,
    answer: refTo('Availability'),
    refusals: [...OF_SUT, 'store_full'],
    handler: withVisible('sut', showOne),
  }),
  get('/api/availability', {
    id: 'findAvailability',
    summary: 'Find SUTs with free windows',
    guide: 'any-machine.md#what-is-free',
    description:
      'Active SUTs in scope with something free of at least duration, newest created first, found by the filters of the list of SUTs. With match, SUTs that fit and are not known to be offline, in the order in which a create with the same match would try them for the earliest such window of each. At most 100 free windows of each SUT; its next is where the following one begins. turnaround is neither held nor free. The next of the page continues it.',
    roles: everyone,
    query: listQuery,
    answer: refTo('AvailabilityList'),
    refusals: ['forbidden', 'user_not_found', 'user_removed', 'store_full'],
    handler: list,
  }),
]
