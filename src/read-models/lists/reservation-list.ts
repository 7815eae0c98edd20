import type { RunQuery } from '../../files/sqlite.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import { CANCELLED, RESERVATION_LISTED, segmentOf } from '../tables/reservation-table.ts'
import { type Condition, columnIn, condition, optional, type Reads, rowsFrom } from './conditions.ts'
import { columnsOf, countAndRead, pageOfRows, readPage } from './details.ts'
import { type Index, indexOf, type KeyedQuery, withKeys } from './keyed-query.ts'
import type { Lists, Visibility } from './lists.ts'
import { isInScope, listedThrough, type Scopes } from './scope.ts'

type InSight = NonNullable<KeyedQuery['visibility']>

const inSight = ({ scope, own }: InSight): Condition => {
  const inScope = isInScope(scope)
  return own === undefined ? inScope : condition(`(r.user = ? OR ${inScope.sql})`, own, ...inScope.values)
}

/** All conditions but the page. */
export const reservationFiltersOf = ({
  suts,
  user,
  endsAfter,
  startsBefore,
  heldBefore,
  isHeld,
  visibility,
}: KeyedQuery): readonly Condition[] => [
  ...(suts === undefined ? [] : [columnIn('r.sut', suts)]),
  ...optional('r.user = ?', user),
  ...optional('r.ends > ?', endsAfter),
  ...optional('r.starts < ?', startsBefore),
  ...optional('r.starts * 1000 + r.lateness < ?', heldBefore),
  ...(isHeld ? [condition('r.ended IS NULL')] : []),
  ...(visibility === undefined ? [] : [inSight(visibility)]),
]

const through = (index: Index, filters: readonly Condition[]): Condition =>
  listedThrough(index, filters, index === 'reservation_cancelled' ? CANCELLED : RESERVATION_LISTED)

/** In the order of creation, for which there are no filters. */
const allListed = (conditions: readonly Condition[]): Condition =>
  rowsFrom('reservation r INDEXED BY reservation_listed', [condition(RESERVATION_LISTED), ...conditions])

/** The rows of some indexes, newest created first, or of the one in the order of creation. */
const inOrder = (
  { createdBefore }: KeyedQuery,
  indexes: readonly Index[],
  filters: readonly Condition[],
): Condition => {
  const before = optional('r.created < ?', createdBefore)
  if (indexes.length === 0) {
    const { sql, values } = allListed(before)
    return condition(`SELECT r.position, r.created ${sql} ORDER BY r.created DESC`, ...values)
  }
  const segments = optional('s.n <= ?', createdBefore === undefined ? undefined : segmentOf(createdBefore))
  const each = indexes.map((index) => through(index, [...filters, ...before, ...segments]))
  const selected = each.map(({ sql }) => `SELECT r.position, r.created, s.n AS n ${sql}`)
  return condition(
    `${selected.join(' UNION ALL ')} ORDER BY n DESC, created DESC`,
    ...each.flatMap(({ values }) => values),
  )
}

export const makeReservationList =
  ({ ask, count }: Reads, names: IdKeys, scopes: Scopes): Lists['reservations'] =>
  (query) => {
    const asked = withKeys(query, names, scopes)
    if (asked === undefined) return pageOfRows([], 0, query)
    const filters = reservationFiltersOf(asked)
    // In the order of creation alone, each row would have to be looked up to see its SUT or its segment.
    const index = indexOf(asked) ?? ((asked.visibility || asked.withCancelled) && 'reservation_by_sut')
    const indexes = index ? [index, ...(asked.withCancelled ? (['reservation_cancelled'] as const) : [])] : []
    const rows = readPage(ask, 'reservation', inOrder(asked, indexes, filters), columnsOf(query), asked)
    const isAll = asked.offset === 0 && asked.createdBefore === undefined && rows.length < asked.limit
    if (isAll) return pageOfRows(rows, rows.length, query)
    const counted = indexes.length === 0 ? [allListed([])] : indexes.map((one) => through(one, filters))
    return pageOfRows(
      rows,
      counted.reduce((sum, matching) => sum + count(matching), 0),
      query,
    )
  }

const keysOf = (names: IdKeys, sutIds: readonly string[]): readonly number[] =>
  sutIds.map(names.find).filter((key) => key !== undefined)

export const makeHeldBy =
  (ask: RunQuery, names: IdKeys): Lists['heldBy'] =>
  (sutIds, { start, end }) => {
    const suts = keysOf(names, sutIds)
    if (suts.length === 0 || start >= end) return []
    const asked: KeyedQuery = { limit: 0, offset: 0, suts, endsAfter: start, startsBefore: end }
    const { sql, values } = through(indexOf(asked) as Index, reservationFiltersOf(asked))
    // To look up the id in each of thousands of rows would double the time.
    const ids = new Map(sutIds.map((id) => [names.find(id), id]))
    return ask<{ sut: number; start: number; end: number; isReleased: number }>(
      `SELECT r.sut, r.starts AS start, r.ends AS "end", r.ended IS 'released' AS isReleased ${sql} ORDER BY r.starts`,
      ...values,
    ).map(({ sut, start, end, isReleased }) => ({
      sut_id: ids.get(sut) as string,
      start,
      end,
      isReleased: isReleased === 1,
    }))
  }

export const makeLastEnds =
  (ask: RunQuery, names: IdKeys): Lists['lastEnds'] =>
  (sutIds, moment) => {
    const suts = keysOf(names, sutIds)
    if (suts.length === 0) return new Map()
    const { sql, values } = through('reservation_by_sut', [columnIn('r.sut', suts), condition('r.ends <= ?', moment)])
    const rows = ask<{ sut_id: string; last: number }>(
      `SELECT (SELECT id FROM name WHERE key = r.sut) AS sut_id, max(r.ends) AS last ${sql} GROUP BY r.sut`,
      ...values,
    )
    return new Map(rows.map(({ sut_id, last }) => [sut_id, last]))
  }

const seriesInSight = (names: IdKeys, { scope, user_id }: Visibility): Condition => {
  const inScope = isInScope(scope, 'sut')
  return condition(`(user = ? OR ${inScope.sql})`, names.find(user_id) ?? -1, ...inScope.values)
}

/** Series, newest first. Of the filters of reservations, those of SUTs and of a user. */
export const makeSeriesList =
  (reads: Reads, names: IdKeys): Lists['series'] =>
  (query) => {
    const { sut_ids, user_id, visibility } = query
    const suts = sut_ids && keysOf(names, sut_ids)
    const user = user_id === undefined ? undefined : names.find(user_id)
    if (suts?.length === 0 || (user_id !== undefined && user === undefined)) return { documents: [], count: 0 }
    const filters = [
      ...(suts === undefined ? [] : [columnIn('sut', suts)]),
      ...optional('user = ?', user),
      ...(visibility === undefined ? [] : [seriesInSight(names, visibility)]),
    ]
    const rowsWhere = (conditions: readonly Condition[]) => rowsFrom('series', [condition('1'), ...conditions])
    const { rows, count } = countAndRead(reads, 'series', rowsWhere, filters, columnsOf({}), query)
    return pageOfRows(rows, count, {})
  }

export const makeSeriesReservations =
  (ask: RunQuery): Lists['seriesReservations'] =>
  (seriesId) =>
    ask(
      `SELECT d.id, d.document, d.ended, d.starts AS start, d.ends AS "end" FROM series_member m
       CROSS JOIN reservation d
       WHERE m.series = ? AND d.id = m.id AND d.until IS NULL ORDER BY d.starts, d.created`,
      seriesId,
    )
