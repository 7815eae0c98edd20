import { foldForSearch } from '../../../projections/sut.ts'
import type { Window } from '../../domain/calendar/window.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { dayOf, type ReservationCounts } from '../tables/reservation-counts.ts'
import { RESERVATION_LISTED as LISTED_RESERVATIONS } from '../tables/reservation-table.ts'
import { RETIRED, SUT_LISTED } from '../tables/sut-table.ts'
import { type Condition, condition, optional, SHORT, valuesOf } from './conditions.ts'
import { columnsOf, type DetailedRow, pageOfRows } from './details.ts'
import type { ListPage, SutListQuery } from './lists.ts'

export const sutFiltersOf = ({
  sut_type,
  is_active,
  monitoring,
  name,
  tags = {},
  scope = {},
}: SutListQuery): readonly Condition[] => [
  ...optional('sut_type = ?', sut_type),
  ...(is_active === undefined ? [] : [condition('is_active = ?', is_active ? 1 : 0)]),
  ...optional('monitoring = ?', monitoring),
  ...(name === undefined ? [] : [condition('instr(folded_name, ?) > 0', foldForSearch(name))]),
  // Tag names contain no character that is special within a quoted JSON path.
  ...[...Object.entries(tags), ...Object.entries(scope)].map(([tag, value]) =>
    condition('json_extract(tags, ?) = ?', `$."${tag}"`, value),
  ),
]

/** The index of the rows to list, and their condition. */
export const sutRowsOf = ({ retired = false }: SutListQuery): readonly [index: string, rows: string] =>
  retired ? ['sut_retired', RETIRED] : ['sut_listed', SUT_LISTED]

/** Nothing that overlaps a span ends later than the longest reservation after it. */
const isFree = ({ start, end }: Window, longest: number): Condition =>
  condition(
    `is_active = 1 AND sut.id NOT IN (
       SELECT n.id FROM segment s CROSS JOIN reservation r INDEXED BY reservation_by_end CROSS JOIN name n
       WHERE r.segment = s.n AND ${LISTED_RESERVATIONS} AND r.ends > ? AND r.ends < ? AND r.starts < ? AND n.key = r.sut)`,
    start,
    end + longest,
    end,
  )

export const makeSutList =
  (ask: RunQuery, counts: ReservationCounts) =>
  (query: SutListQuery): ListPage => {
    const filters = [
      ...sutFiltersOf(query),
      ...(query.free === undefined ? [] : [isFree(query.free, counts.longest())]),
    ]
    const { createdBefore, limit, offset } = query
    const [index, rowsHere] = sutRowsOf(query)
    const where = (conditions: readonly Condition[]): string =>
      `FROM sut INDEXED BY ${index} WHERE ${[rowsHere, ...conditions.map(({ sql }) => sql)].join(' AND ')}`
    const here = createdBefore === undefined ? filters : [...filters, condition('created < ?', createdBefore)]
    const [counted] = ask<{ n: number }>(`SELECT count(*) AS n ${where(filters)}`, ...valuesOf(filters))
    const rows = ask<DetailedRow>(
      `SELECT ${columnsOf(query).sql} FROM (SELECT position, created ${where(here)} ORDER BY created DESC LIMIT ? OFFSET ?) AS page
       CROSS JOIN sut d WHERE d.position = page.position ORDER BY page.created DESC`,
      ...valuesOf(here),
      limit,
      offset,
    )
    return pageOfRows(rows, counted?.n ?? 0, query)
  }

export const makeEverySut = (ask: RunQuery) => (): readonly string[] =>
  ask<{ document: string }>(`SELECT document FROM sut WHERE ${SUT_LISTED}`).map(({ document }) => document)

/** Of SUTs in use, without a filter on name or tags and without a scope, at most one entry per port is read. */
export const makeIsShortOfSuts =
  (counts: ReservationCounts) =>
  ({ name, tags = {}, scope, offset, retired = false, free, asPositions }: SutListQuery): boolean => {
    const isOfAll =
      !retired && !asPositions && name === undefined && scope === undefined && Object.keys(tags).length === 0
    const held = free && counts.onDays('end_day', dayOf(free.start), dayOf(free.end + counts.longest()))
    return isOfAll && offset === 0 && (held === undefined || held <= SHORT)
  }
