import type { RunQuery } from '../../files/sqlite.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import { IS_CLOSED, IS_OPEN, SESSION_LISTED, type SessionCounts } from '../tables/session-table.ts'
import { type Condition, condition, countRows, optional, rowsFrom } from './conditions.ts'
import { columnsOf, type DetailedRow, pageOfRows, readPage } from './details.ts'
import type { Lists, PageQuery, SessionQuery } from './lists.ts'

/** Sessions that are sorted soon. */
const SORTED_MAX = 10_000

/** A query with surrogate keys for SUT and user. */
interface KeyedQuery extends Omit<SessionQuery, 'sut_id' | 'user_id'> {
  readonly sut: number | undefined
  readonly user: number | undefined
}

/** Undefined if the SUT or user is unknown, and so has no sessions. */
const withKeys = ({ sut_id, user_id, ...query }: SessionQuery, names: IdKeys): KeyedQuery | undefined => {
  const [sut, user] = [sut_id, user_id].map((id) => (id === undefined ? undefined : names.find(id)))
  const isUnknown = (sut_id !== undefined && sut === undefined) || (user_id !== undefined && user === undefined)
  return isUnknown ? undefined : { ...query, sut, user }
}

const filtersOf = (query: KeyedQuery): readonly Condition[] => {
  const { sut, user, reservation_id, isOpen, closesAfter, opensBefore } = query
  return [
    ...optional('sut = ?', sut),
    ...optional('user = ?', user),
    ...optional('reservation = ?', reservation_id),
    ...(isOpen ? [condition(IS_OPEN)] : []),
    ...optional('opens < ?', opensBefore),
    ...optional('closes > ?', closesAfter),
  ]
}

type Index = `session_${'open' | 'listed' | 'by_sut' | 'by_user' | 'by_reservation' | 'by_time'}`

/** Sessions that an index finds, in parts without overlap. */
type Source = readonly { readonly index: Index; readonly filters: readonly Condition[] }[]

/** What closed later than a moment opened at most as long before it as the longest session took, unless it is open. */
const inSpan = (query: KeyedQuery, counts: SessionCounts): Source => {
  const { closesAfter } = query
  const opensFrom = closesAfter === undefined ? undefined : closesAfter - counts.longest()
  const filters = filtersOf(query)
  return [
    { index: 'session_by_time', filters: [...filters, ...optional('opens >= ?', opensFrom), condition(IS_CLOSED)] },
    { index: 'session_open', filters: [...filters, condition(IS_OPEN)] },
  ]
}

const hasSpan = ({ closesAfter, opensBefore }: KeyedQuery): boolean =>
  closesAfter !== undefined || opensBefore !== undefined

/** The index for a query, unless it is one of a span alone. */
const indexOf = ({ sut, user, reservation_id, isOpen }: KeyedQuery, counts: SessionCounts): Index => {
  if (reservation_id !== undefined) return 'session_by_reservation'
  if (isOpen) return 'session_open'
  if (sut === undefined) return user === undefined ? 'session_listed' : 'session_by_user'
  return user !== undefined && counts.of('user', user) < counts.of('sut', sut) ? 'session_by_user' : 'session_by_sut'
}

/** The number of sessions where a counter has it. */
const counted = (query: KeyedQuery, counts: SessionCounts): number | undefined => {
  const { sut, user, reservation_id, isOpen } = query
  if (reservation_id !== undefined || isOpen || hasSpan(query)) return undefined
  if (sut === undefined) return user === undefined ? counts.all() : counts.of('user', user)
  return user === undefined ? counts.of('sut', sut) : undefined
}

const through = ({ index, filters }: Source[number]): Condition =>
  rowsFrom(`session INDEXED BY ${index}`, [condition(SESSION_LISTED), ...filters])

const countIn = (ask: RunQuery, source: Source): number =>
  source.map((part) => countRows(ask, through(part))).reduce((sum, n) => sum + n, 0)

const rowsIn = (ask: RunQuery, source: Source, part: PageQuery): readonly DetailedRow[] => {
  const before = optional('created < ?', part.createdBefore)
  const each = source.map(({ index, filters }) => through({ index, filters: [...filters, ...before] }))
  const selected = each.map(({ sql }) => `SELECT position, created ${sql}`)
  const rows = condition(
    `${selected.join(' UNION ALL ')} ORDER BY created DESC`,
    ...each.flatMap(({ values }) => values),
  )
  return readPage(ask, 'session', rows, columnsOf(part), part)
}

export const makeSessionList =
  (ask: RunQuery, names: IdKeys, counts: SessionCounts): Lists['sessions'] =>
  (asked) => {
    const query = withKeys(asked, names)
    if (query === undefined) return pageOfRows([], 0, asked)
    const index = indexOf(query, counts)
    const inOrder: Source = [{ index, filters: filtersOf(query) }]
    const source = index === 'session_listed' && hasSpan(query) ? inSpan(query, counts) : inOrder
    const count = counted(query, counts) ?? countIn(ask, source)
    if (count === 0) return pageOfRows([], 0, asked)
    // A few are sorted; of many, the newest are found soon in order of creation.
    return pageOfRows(rowsIn(ask, count <= SORTED_MAX ? source : inOrder, asked), count, asked)
  }
