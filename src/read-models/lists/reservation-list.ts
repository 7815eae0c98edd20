import type { RunQuery } from '../../files/sqlite.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import { dayOf, type ReservationCounts, startOfDay } from '../tables/reservation-counts.ts'
import { CANCELLED, RESERVATION_LISTED, segmentOf } from '../tables/reservation-table.ts'
import { type AccessPath, accessPaths, type Index, type KeyedQuery, withKeys } from './access-paths.ts'
import { type Condition, columnIn, condition, countRows, optional, rowsFrom } from './conditions.ts'
import { columnsOf, countAndRead, pageOfRows, readPage } from './details.ts'
import type { Lists, Visibility } from './lists.ts'
import { isInScope, listedThrough, type Scopes, sutsIn } from './scope.ts'

/** Above this many reservations, counters provide the count of a span. */
const READ_MAX = 20_000

type InSight = NonNullable<KeyedQuery['visibility']>

const inSight = ({ scope, own }: InSight): Condition => {
  const inScope = isInScope(scope)
  return own === undefined ? inScope : condition(`(r.user = ? OR ${inScope.sql})`, own, ...inScope.values)
}

/** All conditions but the page. The upper bound on the end follows from the start and allows the use of an index. */
export const reservationFiltersOf = (
  { suts, user, endsAfter, startsBefore, heldBefore, isHeld, visibility }: KeyedQuery,
  longest: number,
): readonly Condition[] => [
  ...(suts === undefined ? [] : [columnIn('r.sut', suts)]),
  ...optional('r.user = ?', user),
  ...optional('r.ends > ?', endsAfter),
  ...optional('r.starts < ?', startsBefore),
  ...optional('r.ends < ?', startsBefore === undefined ? undefined : startsBefore + longest),
  ...optional('r.starts * 1000 + r.lateness < ?', heldBefore),
  ...(isHeld ? [condition('r.ended IS NULL')] : []),
  ...(visibility === undefined ? [] : [inSight(visibility)]),
]

const through = (index: Index, filters: readonly Condition[]): Condition =>
  listedThrough(index, filters, index === 'reservation_cancelled' ? CANCELLED : RESERVATION_LISTED)

const countThrough = (ask: RunQuery, index: Index, filters: readonly Condition[]): number =>
  countRows(ask, through(index, filters))

/**
 * Counts overlaps with a span of any size: all reservations but those that end before it and those that start after it.
 * Counters give these by day; rows are read only for the days of its two ends.
 */
const countOverlapping = (
  ask: RunQuery,
  counts: ReservationCounts,
  { endsAfter, startsBefore }: KeyedQuery,
): number => {
  let count = counts.all()
  if (endsAfter !== undefined) {
    const day = dayOf(endsAfter)
    const onDay = [condition('r.ends >= ?', startOfDay(day)), condition('r.ends <= ?', endsAfter)]
    count -= counts.onDays('end_day', Number.NEGATIVE_INFINITY, day - 1)
    count -= countThrough(ask, 'reservation_by_end', onDay)
  }
  if (startsBefore !== undefined) {
    const nextDay = dayOf(startsBefore) + 1
    const onDay = [
      condition('r.starts >= ?', startsBefore),
      condition('r.starts < ?', startOfDay(nextDay)),
      condition('r.ends > ?', startsBefore),
      condition('r.ends < ?', startOfDay(nextDay) + counts.longest()),
    ]
    count -= counts.onDays('start_day', nextDay, Number.POSITIVE_INFINITY)
    count -= countThrough(ask, 'reservation_by_end', onDay)
  }
  return count
}

/** Counts what is in sight of a user, from counters of the SUTs in its scope if there is no other filter. */
const countInSight = (
  ask: RunQuery,
  { scope, own }: InSight,
  way: AccessPath | undefined,
  filters: readonly Condition[],
): number => {
  if (way !== undefined) return countThrough(ask, way.index, filters)
  const { sql, values } = sutsIn(scope)
  const counted = `SELECT total(n) AS n FROM reservation_count_sut WHERE key IN (${sql})`
  const inScope = ask<{ n: number }>(counted, ...values)[0]?.n ?? 0
  if (own === undefined) return inScope
  const outside = [condition('r.user = ?', own), condition(`r.sut NOT IN (${sql})`, ...values)]
  return inScope + countThrough(ask, 'reservation_by_user', outside)
}

const countOf = (
  ask: RunQuery,
  counts: ReservationCounts,
  asked: KeyedQuery,
  way: AccessPath | undefined,
  filters: readonly Condition[],
): number => {
  if (asked.visibility !== undefined) return countInSight(ask, asked.visibility, way, filters)
  if (way === undefined) return counts.all()
  const { suts, user, heldBefore, isHeld } = asked
  const { endsAfter = Number.NEGATIVE_INFINITY, startsBefore = Number.POSITIVE_INFINITY } = asked
  if (filters.length === 1 && way.index !== 'reservation_by_end') return way.entries
  const isOfSpan = suts === undefined && user === undefined && !isHeld && heldBefore === undefined
  return way.entries > READ_MAX && isOfSpan && endsAfter < startsBefore
    ? countOverlapping(ask, counts, asked)
    : countThrough(ask, way.index, filters)
}

/** The rows of some indexes, newest created first, or of the one in the order of creation, for which there are no filters. */
const inOrder = (asked: KeyedQuery, indexes: readonly Index[], filters: readonly Condition[]): Condition => {
  const { createdBefore } = asked
  const before = optional('r.created < ?', createdBefore)
  if (indexes.length === 0) {
    const { sql, values } = rowsFrom('reservation r INDEXED BY reservation_listed', [
      condition(RESERVATION_LISTED),
      ...before,
    ])
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
  (ask: RunQuery, names: IdKeys, counts: ReservationCounts, scopes: Scopes): Lists['reservations'] =>
  (query) => {
    const asked = withKeys(query, names, scopes)
    if (asked === undefined) return pageOfRows([], 0, query)
    const filters = reservationFiltersOf(asked, counts.longest())
    const way = accessPaths(asked, counts)[0]
    const cancelled = asked.withCancelled ? (['reservation_cancelled'] as const) : []
    // In the order of creation alone, each row would have to be looked up to see its SUT or its segment.
    const index = way?.index ?? ((asked.visibility || asked.withCancelled) && 'reservation_by_sut')
    const found = inOrder(asked, index ? [index, ...cancelled] : [], filters)
    const rows = readPage(ask, 'reservation', found, columnsOf(query), asked)
    const isAll = asked.offset === 0 && asked.createdBefore === undefined && rows.length < asked.limit
    const count = isAll
      ? rows.length
      : cancelled
          .map((path) => countThrough(ask, path, filters))
          .reduce((sum, n) => sum + n, countOf(ask, counts, asked, way, filters))
    return pageOfRows(rows, count, query)
  }

const keysOf = (names: IdKeys, sutIds: readonly string[]): readonly number[] =>
  sutIds.map(names.find).filter((key) => key !== undefined)

export const makeHeldBy =
  (ask: RunQuery, names: IdKeys, counts: ReservationCounts): Lists['heldBy'] =>
  (sutIds, { start, end }) => {
    const suts = keysOf(names, sutIds)
    if (suts.length === 0 || start >= end) return []
    const asked: KeyedQuery = { limit: 0, offset: 0, suts, endsAfter: start, startsBefore: end }
    const [way] = accessPaths(asked, counts)
    if (way === undefined) return []
    const { sql, values } = through(way.index, reservationFiltersOf(asked, counts.longest()))
    // Thousands of rows may be read on the main thread: to look up the id in each would double its time.
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
  (ask: RunQuery, names: IdKeys): Lists['series'] =>
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
    const { rows, count } = countAndRead(ask, 'series', rowsWhere, filters, columnsOf({}), query)
    return pageOfRows(rows, count, {})
  }

export const makeSeriesReservations =
  (ask: RunQuery): Lists['seriesReservations'] =>
  (seriesId) =>
    ask(
      `SELECT d.id, d.document, d.ended, d.starts AS start, d.ends AS "end" FROM series_member m
       CROSS JOIN reservation d INDEXED BY reservation_by_id
       WHERE m.series = ? AND d.id = m.id AND d.until IS NULL ORDER BY d.starts, d.created`,
      seriesId,
    )
