import { foldForSearch } from '../../../projections/sut.ts'
import { reachOf } from '../../domain/calendar/turnaround.ts'
import { QUARTER, type Window } from '../../domain/calendar/window.ts'
import type { MonitoringStatus } from '../../domain/monitoring/status.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { RESERVATION_LISTED as LISTED_RESERVATIONS } from '../tables/reservation-table.ts'
import { RETIRED, SUT_LISTED, TURNAROUND } from '../tables/sut-table.ts'
import { type Condition, condition, optional, type Reads, rowsFrom } from './conditions.ts'
import { columnsOf, countAndRead, type DetailedRow, pageOfRows } from './details.ts'
import type { Lists, SutListQuery } from './lists.ts'

export const sutFiltersOf = ({
  sut_type,
  is_active,
  monitoring,
  isMonitored,
  name,
  tags = {},
  scope = {},
}: SutListQuery): readonly Condition[] => [
  ...optional('sut_type = ?', sut_type),
  ...(is_active === undefined ? [] : [condition('is_active = ?', is_active ? 1 : 0)]),
  ...optional('monitoring = ?', monitoring),
  ...(isMonitored ? [condition("monitoring <> 'disabled'")] : []),
  ...(name === undefined ? [] : [condition('instr(folded_name, ?) > 0', foldForSearch(name))]),
  // Tag names contain no character that is special within a quoted JSON path.
  ...[...Object.entries(tags), ...Object.entries(scope)].map(([tag, value]) =>
    condition('json_extract(tags, ?) = ?', `$."${tag}"`, value),
  ),
]

/** The index of the rows to list, and their condition. */
export const sutRowsOf = ({ retired = false }: SutListQuery): readonly [index: string, rows: string] =>
  retired ? ['sut_retired', RETIRED] : ['sut_listed', SUT_LISTED]

/** The longest turnaround of a SUT. */
const longestTurnaround = (ask: RunQuery): number =>
  ask<{ longest: number | null }>(`SELECT max(turnaround) AS longest FROM sut_display WHERE ${TURNAROUND}`)[0]
    ?.longest ?? 0

const holding = ({ start, end }: Window): Condition =>
  condition(
    `SELECT n.id, r.starts, r.ends FROM segment s CROSS JOIN reservation r INDEXED BY reservation_by_end CROSS JOIN name n
     WHERE r.segment = s.n AND ${LISTED_RESERVATIONS} AND r.ends > ? AND r.starts < ? AND n.key = r.sut`,
    start,
    end,
  )

// As in domain/calendar/turnaround.ts.
const IS_TAKEN = `CASE WHEN t.turnaround IS NULL THEN h.ends > ? AND h.starts < ?
  ELSE (h.ends + ${QUARTER - 1}) / ${QUARTER} * ${QUARTER} + t.turnaround > ? AND h.starts - t.turnaround < ? END`

/** @param turnaround the longest one of a SUT */
const isFree = (span: Window, turnaround: number): Condition => {
  const { sql, values } = holding(reachOf(span, turnaround))
  if (turnaround === 0) return condition(`is_active = 1 AND sut.id NOT IN (SELECT id FROM (${sql}))`, ...values)
  const { start, end } = span
  return condition(
    `is_active = 1 AND sut.id NOT IN (
       SELECT h.id FROM (${sql}) h LEFT JOIN sut_display t
       ON t.id = h.id AND t.until IS NULL AND t.turnaround > 0 WHERE ${IS_TAKEN})`,
    ...values,
    ...[start, end, start, end],
  )
}

const DISPLAY = '(SELECT t.document FROM sut_display t WHERE t.id = d.id ORDER BY t.position DESC LIMIT 1)'

interface SutRow extends DetailedRow {
  readonly display: string | null
}

export const makeSutList =
  (reads: Reads): Lists['suts'] =>
  (query) => {
    const filters = [
      ...sutFiltersOf(query),
      ...(query.free === undefined ? [] : [isFree(query.free, longestTurnaround(reads.ask))]),
    ]
    const [, isListed] = sutRowsOf(query)
    const rowsWhere = (conditions: readonly Condition[]) => rowsFrom('sut', [condition(isListed), ...conditions])
    const { sql } = columnsOf(query)
    const columns = condition(query.withDisplays ? `${sql}, ${DISPLAY} AS display` : sql)
    const { rows, count } = countAndRead<SutRow>(reads, 'sut', rowsWhere, filters, columns, query)
    const page = pageOfRows(rows, count, query)
    return query.withDisplays ? { ...page, displays: rows.map(({ display }) => display) } : page
  }

export const makeSutStates =
  (ask: RunQuery): Lists['sutStates'] =>
  () =>
    ask<{ active: number; monitoring: MonitoringStatus; count: number }>(
      `SELECT is_active AS active, monitoring, count(*) AS count FROM sut WHERE ${SUT_LISTED}
       GROUP BY is_active, monitoring`,
    ).map(({ active, ...row }) => ({ isActive: active === 1, ...row }))

const TURNAROUNDS = `sut_display t`

export const makeEverySut =
  (ask: RunQuery): Lists['everySut'] =>
  () =>
    ask(
      `SELECT s.document, coalesce(t.turnaround, 0) AS turnaround FROM sut s
     LEFT JOIN ${TURNAROUNDS} ON t.id = s.id AND t.until IS NULL AND t.turnaround > 0 WHERE s.until IS NULL AND s.ended IS NULL`,
    )

export const makeTurnaroundsOf =
  (ask: RunQuery): Lists['turnaroundsOf'] =>
  (sutIds) => {
    const rows = ask<{ id: string; turnaround: number }>(
      `SELECT t.id, t.turnaround FROM ${TURNAROUNDS} WHERE ${TURNAROUND} AND t.id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(sutIds),
    )
    return new Map(rows.map(({ id, turnaround }) => [id, turnaround]))
  }
