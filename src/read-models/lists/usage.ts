import { startOfWeek, WEEK, weekOf } from '../../domain/calendar/week.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import { EXEMPT } from '../tables/reservation-table.ts'
import { type Condition, condition } from './conditions.ts'
import { listedThrough } from './scope.ts'

/** What of a user's reservations may count for a quota. Times are in Unix seconds. */
interface UsageQuery {
  readonly user_id: string
  /** Reservations are over if they end by then. */
  readonly now: number
}

/** A page of reservations that are not over: those whose newest version is after a position. */
export interface UnfinishedQuery extends UsageQuery {
  readonly after: number
  readonly limit: number
}

export interface UnfinishedRow {
  readonly position: PublicPosition
  readonly id: string
  readonly start: number
  readonly end: number
  /** Milliseconds from the start to the creation; 0 if it was made before its start. */
  readonly lateness: number
  /** What it counts for the quota, unless it is exempt. */
  readonly quarters: number
  readonly isExempt: boolean
  readonly isReleased: boolean
}

/** Reservations that are over and ended after `since`. */
export interface FinishedQuery extends UsageQuery {
  readonly since: number
}

/** What a user has reserved: quarters in a week, and reservations that are not over. */
export interface Used {
  readonly quarters: number
  readonly reservations: number
}

const STARTED_IN = `(r.starts - ${startOfWeek(0)}) / ${WEEK}`

const ofUser = (user: number, ...more: readonly Condition[]): Condition =>
  listedThrough('reservation_by_user', [...more, condition('r.user = ?', user)])

export const makeUnfinishedUsage =
  (ask: RunQuery, names: IdKeys) =>
  ({ user_id, now, after, limit }: UnfinishedQuery): readonly UnfinishedRow[] => {
    const user = names.find(user_id)
    if (user === undefined) return []
    const found = ofUser(user, condition('r.ends > ?', now), condition('r.position > ?', after))
    const rows = ask<Omit<UnfinishedRow, 'isExempt' | 'isReleased'> & { exempt: number; released: number }>(
      `SELECT d.position, d.id, d.starts AS start, d.ends AS "end", d.lateness, d.counted AS quarters, d.ended IS 'released' AS released, EXISTS (
         SELECT 1 FROM quota_exemption WHERE user = d.user AND id = d.id AND ${EXEMPT}) AS exempt
       FROM (SELECT r.position ${found.sql} ORDER BY r.position LIMIT ?) AS page
       CROSS JOIN reservation d WHERE d.position = page.position ORDER BY d.position`,
      ...found.values,
      limit,
    )
    return rows.map(({ exempt, released, ...row }) => ({ ...row, isExempt: exempt === 1, isReleased: released === 1 }))
  }

export const makeFinishedUsage =
  (ask: RunQuery, names: IdKeys) =>
  ({ user_id, now, since }: FinishedQuery): readonly (readonly [week: number, quarters: number])[] => {
    const user = names.find(user_id)
    if (user === undefined) return []
    const found = ofUser(user, condition('r.ends <= ?', now), condition('r.ends > ?', since))
    const rows = ask<{ week: number; quarters: number }>(
      `SELECT ${STARTED_IN} AS week, sum(r.counted) AS quarters ${found.sql} GROUP BY week`,
      ...found.values,
    )
    const exempt = ask<{ week: number; quarters: number }>(
      `SELECT ${STARTED_IN} AS week, -r.counted AS quarters
       FROM quota_exemption x CROSS JOIN reservation r
       WHERE x.user = ? AND x.until IS NULL AND x.is_exempt = 1 AND r.id = x.id AND r.until IS NULL
       AND r.ended IS NOT 'cancelled' AND r.ends <= ? AND r.ends > ?`,
      user,
      now,
      since,
    )
    return [...rows, ...exempt].map(({ week, quarters }) => [week, quarters])
  }

/** The current week and what is not over: both end after the week began. */
export const makeUsed =
  (ask: RunQuery, names: IdKeys) =>
  (userIds: readonly string[], now: number): readonly Used[] => {
    const from = startOfWeek(weekOf(now))
    return userIds.map((userId) => {
      const user = names.find(userId)
      if (user === undefined) return { quarters: 0, reservations: 0 }
      const isExempt = `EXISTS (SELECT 1 FROM quota_exemption WHERE user = r.user AND id = r.id AND ${EXEMPT})`
      const found = ofUser(user, condition('r.ends > ?', from), condition(`NOT ${isExempt}`))
      const [used] = ask<Used>(
        `SELECT total(iif(r.starts >= ? AND r.starts < ?, r.counted, 0)) AS quarters,
           total(r.ends > ? AND r.ended IS NULL) AS reservations ${found.sql}`,
        ...[from, from + WEEK, now],
        ...found.values,
      )
      return used ?? { quarters: 0, reservations: 0 }
    })
  }
