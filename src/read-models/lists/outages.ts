import type { OfflineCause } from '../../domain/events/monitoring.ts'
import type { MonitoringStatus } from '../../domain/monitoring/status.ts'
import type { Scope } from '../../domain/user/scope.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { UnixMilliseconds } from '../../domain/values/units.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { isSutIn } from './scope.ts'

/** Times are in Unix milliseconds. */
export interface OutageListQuery {
  readonly sut_ids: readonly string[]
  /** Only SUTs with these tags. */
  readonly scope?: Scope | undefined
  readonly from: number
  readonly to: number
  readonly max: number
}

/** In order. Times are in Unix milliseconds. */
export interface Outages {
  readonly outages: readonly { readonly from: number; readonly to: number | null; readonly cause: OfflineCause }[]
  /** When it was not monitored, or not probed yet. */
  readonly unknown: readonly { readonly from: number; readonly to: number }[]
}

export interface SutOutages extends Outages {
  readonly sut_id: string
}

/** A status that began. */
interface StatusRow {
  readonly position: PublicPosition
  readonly status: MonitoringStatus
  readonly cause: OfflineCause | null
  readonly time: UnixMilliseconds
}

const OF_SUT = 'FROM sut WHERE began = 1 AND id = ?'
const ROWS = `SELECT position, status, cause, time ${OF_SUT}`
const BEFORE = `${ROWS} AND time <= ? ORDER BY time DESC, position DESC LIMIT 1`
const WITHIN = `${ROWS} AND time > ? AND time < ? ORDER BY time, position LIMIT ?`
const AFTER = `${ROWS} AND time >= ? ORDER BY time, position LIMIT 1`
type Span = Pick<OutageListQuery, 'from' | 'to'>

/** Outages that overlap a span, as a whole, and the parts of it in which nothing was known. Rows are by position. */
const periodsOf = (rows: readonly StatusRow[], { from, to }: Span): Outages => {
  const outages: Outages['outages'][number][] = []
  const unknown: Outages['unknown'][number][] = []
  const addUnknown = (start: number, end: number): void => {
    const [first, last] = [Math.max(start, from), Math.min(end, to)]
    if (first >= last) return
    const former = unknown.at(-1)
    if (former?.to === first) unknown[unknown.length - 1] = { from: former.from, to: last }
    else unknown.push({ from: first, to: last })
  }
  // The clock of another instance may have been behind.
  let start = Number.NEGATIVE_INFINITY
  let current: Pick<StatusRow, 'status' | 'cause'> = { status: 'unknown', cause: null }
  const end = (time: number | null): void => {
    const { status, cause } = current
    const last = time ?? Number.POSITIVE_INFINITY
    if (status === 'disabled' || status === 'unknown') addUnknown(start, last)
    if (status === 'offline' && start < Math.min(last, to) && last > from) {
      outages.push({ from: start, to: time, cause: cause as OfflineCause })
    }
  }
  for (const row of rows) {
    const time = Math.max(row.time, start)
    end(time)
    start = time
    current = row
  }
  end(null)
  return { outages, unknown }
}

/** When SUTs were offline that exist and are in scope; undefined if there are more changes than the query allows. */
export const makeOutages =
  (ask: RunQuery) =>
  ({ sut_ids, scope, from, to, max }: OutageListQuery): readonly SutOutages[] | undefined => {
    const all: SutOutages[] = []
    let left = max
    for (const sut_id of new Set(sut_ids)) {
      if (scope !== undefined && !isSutIn(ask, scope, sut_id)) continue
      const within = ask<StatusRow>(WITHIN, sut_id, from, to, left + 1)
      left -= within.length
      if (left < 0) return undefined
      const around = [...ask<StatusRow>(BEFORE, sut_id, from), ...ask<StatusRow>(AFTER, sut_id, to)]
      const rows = [...within, ...around].sort((a, b) => a.position - b.position)
      if (rows.length > 0) all.push({ sut_id, ...periodsOf(rows, { from, to }) })
    }
    return all
  }
