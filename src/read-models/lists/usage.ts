import type { ReservationInternal } from '../../../projections/reservation.ts'
import { startOfWeek, WEEK, weekOf } from '../../domain/calendar/week.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { LISTED } from './reservations.ts'

/** What of a user's reservations may count for a quota. Times are in Unix seconds. */
interface UsageQuery {
  readonly user_id: string
  /** Reservations are over if they end by then. */
  readonly now: number
}

/** A page of reservations that are not over: those whose newest version is after a position. */
interface UnfinishedQuery extends UsageQuery {
  readonly after: number
  readonly limit: number
}

export interface UnfinishedRow {
  readonly position: PublicPosition
  readonly id: string
  readonly isReleased: boolean
  readonly internal: ReservationInternal
}

/** Reservations that are over and ended after `since`. */
interface FinishedQuery extends UsageQuery {
  readonly since: number
}

/** What a user has reserved: quarters in a week, and reservations that are not over. */
export interface Used {
  readonly quarters: number
  readonly reservations: number
}

export const makeUsageReads = (ask: RunQuery) => ({
  /** What of a user's reservations counts for a quota: those that are not over, by position. */
  unfinishedUsage: ({ user_id, now, after, limit }: UnfinishedQuery): readonly UnfinishedRow[] =>
    ask<{ position: PublicPosition; id: string; isReleased: number; internal: string }>(
      `SELECT d.position, d.id, d.ended IS 'released' AS isReleased, d.internal FROM (
         SELECT position FROM reservation WHERE ${LISTED} AND user = ? AND ends > ? AND +position > ?
         ORDER BY +position LIMIT ?) AS page
       CROSS JOIN reservation d WHERE d.position = page.position ORDER BY d.position`,
      ...[user_id, now, after, limit],
    ).map(({ isReleased, internal, ...row }) => ({
      ...row,
      isReleased: isReleased === 1,
      internal: JSON.parse(internal) as ReservationInternal,
    })),

  /** Quarters of those that are over and count, by the week of their start. */
  finishedUsage: ({ user_id, now, since }: FinishedQuery): readonly (readonly [week: number, quarters: number])[] =>
    ask<{ week: number; quarters: number }>(
      `SELECT (starts - ${startOfWeek(0)}) / ${WEEK} AS week, sum(counts) AS quarters FROM reservation
       WHERE ${LISTED} AND user = ? AND ends <= ? AND ends > ? GROUP BY week`,
      ...[user_id, now, since],
    ).map(({ week, quarters }) => [week, quarters]),

  /** What users have reserved in the week of `now`, in their order. What counts and is not over ends after it began. */
  used: (userIds: readonly string[], now: number): readonly Used[] => {
    const from = startOfWeek(weekOf(now))
    return userIds.map((userId) => {
      const [used] = ask<Used>(
        `SELECT total(iif(starts >= ? AND starts < ?, counts, 0)) AS quarters,
           total(ends > ? AND ended IS NULL AND counts > 0) AS reservations
         FROM reservation WHERE ${LISTED} AND user = ? AND ends > ?`,
        ...[from, from + WEEK, now, userId, from],
      )
      return used ?? { quarters: 0, reservations: 0 }
    })
  },
})
