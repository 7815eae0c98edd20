import { foldForSearch } from '../../../projections/sut.ts'
import { QUARTER, reachOf, type Window } from '../../domain/calendar/window.ts'
import type { MonitoringStatus } from '../../domain/monitoring/status.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { CURRENT, HAS_TURNAROUND } from '../tables/schema.ts'
import { type Condition, condition, type List, optional, type PageQuery } from './page.ts'
import { NOT_CANCELLED } from './reservations.ts'
import { hasTags } from './scope.ts'

export interface SutListQuery extends PageQuery {
  readonly sut_type?: string | undefined
  readonly is_active?: boolean | undefined
  readonly monitoring?: MonitoringStatus | undefined
  /** Only those that are probed, whatever their status. */
  readonly isMonitored?: true | undefined
  /** A part of the name, in any case. */
  readonly name?: string | undefined
  readonly tags?: Readonly<Record<string, string>>
  /** Whether to list retired SUTs, and only those. */
  readonly retired?: boolean | undefined
  /** Only active SUTs that nothing holds in this span. */
  readonly free?: Window | undefined
  /** Only SUTs with these tags too. */
  readonly scope?: Scope | undefined
  /** Whether the page has the settings of its SUTs, as details. */
  readonly withSettings?: boolean
}

/** Of SUTs, and how many there are. */
export interface SutCount {
  readonly isActive: boolean
  readonly monitoring: MonitoringStatus
  readonly count: number
}

// As in domain/calendar/window.ts.
const IS_TAKEN = `CASE WHEN t.turnaround IS NULL THEN h.ends > ? AND h.starts < ?
  ELSE (h.ends + ${QUARTER - 1}) / ${QUARTER} * ${QUARTER} + t.turnaround > ? AND h.starts - t.turnaround < ? END`

/** The SUTs that are held in a span are found by what ends in it, and in the longest turnaround of a SUT before. */
const isFree = (ask: RunQuery, span: Window): readonly Condition[] => {
  const [row] = ask<{ longest: number | null }>(`SELECT max(turnaround) AS longest FROM sut WHERE ${HAS_TURNAROUND}`)
  const reach = reachOf(span, row?.longest ?? 0)
  return [
    condition('is_active = 1'),
    condition(
      `sut.id NOT IN (
         SELECT h.sut FROM reservation h
         LEFT JOIN sut t ON t.id = h.sut AND t.until IS NULL AND t.turnaround > 0
         WHERE h.${CURRENT} AND h.${NOT_CANCELLED} AND h.ends > ? AND h.starts < ? AND ${IS_TAKEN})`,
      ...[reach.start, reach.end, span.start, span.end, span.start, span.end],
    ),
  ]
}

/** SUTs: now without what is retired, or as of the past. */
export const SUTS: List<SutListQuery> = {
  table: 'sut',
  filters: (query, ask) => [
    condition(query.retired ? 'ended IS NOT NULL' : 'ended IS NULL'),
    ...optional('sut_type = ?', query.sut_type),
    ...optional('is_active = ?', query.is_active === undefined ? undefined : Number(query.is_active)),
    ...optional('status = ?', query.monitoring),
    ...(query.isMonitored ? [condition("status <> 'disabled'")] : []),
    ...optional('instr(folded_name, ?) > 0', query.name === undefined ? undefined : foldForSearch(query.name)),
    ...hasTags({ ...query.tags }),
    ...hasTags({ ...query.scope }),
    ...(query.free === undefined ? [] : isFree(ask, query.free)),
  ],
  details: ({ withSettings }) => (withSettings ? condition("d.internal -> 'settings' AS settings") : undefined),
}

/** The settings of a SUT as JSON text. */
export interface SutDetails {
  readonly settings: string
}

export const makeSutReads = (ask: RunQuery) => ({
  /** How many SUTs that are not retired have each state. */
  sutStates: (): readonly SutCount[] =>
    ask<{ active: number; monitoring: MonitoringStatus; count: number }>(
      `SELECT is_active AS active, status AS monitoring, count(*) AS count FROM sut WHERE ${CURRENT} AND ended IS NULL
       GROUP BY is_active, status`,
    ).map(({ active, ...row }) => ({ isActive: active === 1, ...row })),
})
