import * as E from 'fp-ts/lib/Either.js'
import { described, instant, oneOf, opaqueId } from '../../domain/codec/codec.ts'
import { REQUEST_STATUSES } from '../../domain/request/queue.ts'
import { type Instant, isLater, type OffsetTime, parseOffsetTime } from '../../domain/values/instant.ts'
import { afterParameter } from './as-of.ts'
import { apart, inQuery, onlyTrue, type QueryOf, queryOf, type Rule, wholeNumber, wordsOf } from './query.ts'

export const LIMIT_MAX = 1_000
export const LIMIT = 100

/** The requested page of a list: at an offset, or after the entry with an id. */
export interface Paging {
  readonly limit: number
  readonly offset: number
  readonly before?: string
  /** The parameters that were given and are for pages only, as those are. */
  readonly pagedBy: readonly string[]
}

export const paging = {
  limit: described(wholeNumber(1, LIMIT_MAX), 'The maximum number of entries; 100 by default.'),
  offset: described(
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
    'The number of entries to skip. Cannot be combined with before or after.',
  ),
  before: described(opaqueId, 'Continues after the entry with this _id, without the cost and drift of an offset.'),
}

export const span = {
  from: described(instant, 'The start of the span. Encode the + of a UTC offset as %2B.'),
  to: described(instant, 'The end of the span (exclusive).'),
}

/** A span of time; either end may be open. */
export interface TimeSpan {
  readonly from: OffsetTime | undefined
  readonly to: OffsetTime | undefined
}

const momentOf = (text: string | undefined): Instant | undefined => {
  const read = parseOffsetTime(text ?? '')
  return E.isRight(read) ? read.right.instant : undefined
}

/** The end of a span is later than its start. */
export const inOrder =
  (from: string, to: string): Rule =>
  (given) => {
    const [start, end] = [momentOf(given.get(from)), momentOf(given.get(to))]
    return start !== undefined && end !== undefined && !isLater(end, start)
      ? [inQuery(to, `must be later than ${from}`)]
      : []
  }

/** A span that is given by both its ends or not at all. */
export const wholeSpan =
  (from: string, to: string): Rule =>
  (given) => {
    const [first, ...others] = [from, to].filter((name) => given.has(name))
    if (first === undefined || others.length > 0) return inOrder(from, to)(given)
    return [inQuery(first, `needs ${first === from ? to : from}`)]
  }

export const ofSut = described(opaqueId, 'Only those of this SUT.')
export const ofHolder = described(opaqueId, 'Only those of reservations held by this user.')

/** Adds the page to a query. */
export const withPage = <Q extends { limit?: number; offset?: number; before?: string }>(
  query: Q,
): Q & Pick<Paging, 'limit' | 'offset' | 'pagedBy'> => ({
  ...query,
  limit: query.limit ?? LIMIT,
  offset: query.offset ?? 0,
  pagedBy: (['limit', 'offset'] as const).filter((name) => query[name] !== undefined),
})

export const ofPages = [apart(['offset'], 'before'), inOrder('from', 'to')]

export const pageQuery = queryOf(paging, { rules: ofPages, make: withPage })

/** What a read of users includes beyond their documents. */
const included = {
  include: described(
    wordsOf('used'),
    'What to add, separated by commas: used adds what a user has reserved in the current week.',
  ),
}

export const userQuery = queryOf(included, { make: ({ include }) => ({ withUsed: include !== undefined }) })
export type UserQuery = QueryOf<typeof userQuery>

export const usersQuery = queryOf(
  { ...paging, ...included, removed: described(onlyTrue, 'Also users that have been removed.') },
  { rules: ofPages, make: (read) => ({ ...withPage(read), withUsed: read.include !== undefined }) },
)
export type UsersQuery = QueryOf<typeof usersQuery>

export const sessionsQuery = queryOf(
  {
    ...{ ...paging, sut_id: ofSut, user_id: ofHolder, ...span },
    reservation_id: described(opaqueId, 'Only those of this reservation.'),
    open: described(onlyTrue, 'Only sessions that are open.'),
  },
  { rules: ofPages, make: withPage },
)
export type SessionsQuery = QueryOf<typeof sessionsQuery>

/** Seconds. Proxies cut a request that is not answered for a minute, or less. */
const WAIT_MAX = 60

/** Seconds to wait: until a request does not wait any more, a reservation changes, or a port is open. */
export const waitParameter = wholeNumber(0, WAIT_MAX)
export const waitQuery = queryOf({
  wait: described(waitParameter, 'Seconds to wait until the port is open here, 0 by default.'),
})
export const requestWaitQuery = queryOf({
  wait: described(waitParameter, 'Seconds to wait until the request does not wait any more, 0 by default.'),
})
export type WaitQuery = QueryOf<typeof waitQuery>

export const sutRequestsQuery = queryOf(
  {
    ...paging,
    status: described(oneOf(...REQUEST_STATUSES), 'Only those in this state.'),
    user_id: described(opaqueId, 'Only those of this user.'),
    sut_id: described(opaqueId, 'Only those that name this SUT, or whose criteria it fits.'),
  },
  { rules: ofPages, make: withPage },
)
export type SutRequestsQuery = QueryOf<typeof sutRequestsQuery>

export const seriesQuery = queryOf({ ...paging, sut_id: ofSut, user_id: ofHolder }, { rules: ofPages, make: withPage })

/** The requested page of a history, or of a span of it: at an offset, or after the event at a position. */
export const historyQuery = queryOf(
  {
    ...{ limit: paging.limit, offset: paging.offset, after: afterParameter },
    from: described(instant, 'Begins with the first event recorded then or later.'),
    to: described(instant, 'Ends before the first event recorded then or later.'),
    include: described(
      wordsOf('names'),
      'names adds username, the holder of the reservation that an event is about, and sutname, as they are now.',
    ),
  },
  {
    rules: [apart(['offset'], 'after'), inOrder('from', 'to')],
    make: ({ limit = LIMIT, offset = 0, after, from, to, include }) => ({
      ...{ limit, offset, after, from, to },
      withNames: include !== undefined,
    }),
  },
)
export type HistoryQuery = QueryOf<typeof historyQuery>
