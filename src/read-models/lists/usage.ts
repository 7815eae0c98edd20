import { startOfWeek, WEEK, weekOf } from '../../domain/calendar/week.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import type { Version } from '../tables/version.ts'
import { LISTED } from './reservations.ts'

/** Times are in Unix seconds. */
interface UsageQuery {
  readonly user_id: string
  /** Reservations are over if they end by then. */
  readonly now: number
}

/** What of a user's reservations counts for a quota. */
interface UserUsage {
  readonly unfinished: readonly Pick<Version, 'id' | 'ended' | 'internal'>[]
  /** Quarters of those that are over, in the weeks in which one that is not over may count, and later ones. */
  readonly weeks: readonly { readonly week: number; readonly quarters: number }[]
}

/** What a user has reserved: quarters in a week, and reservations that are not over. */
export interface Used {
  readonly quarters: number
  readonly reservations: number
}

export const makeUsageReads = (ask: RunQuery) => ({
  usage: ({ user_id, now }: UsageQuery): UserUsage => {
    const unfinished = ask<{ id: string; ended: Version['ended']; internal: string; starts: number }>(
      `SELECT id, ended, internal, starts FROM reservation WHERE ${LISTED} AND user = ? AND ends > ?`,
      ...[user_id, now],
    )
    // Extensions count in the week in which their reservations start.
    const since = startOfWeek(weekOf(unfinished.reduce((earliest, { starts }) => Math.min(earliest, starts), now)))
    const weeks = ask<{ week: number; quarters: number }>(
      `SELECT (starts - ${startOfWeek(0)}) / ${WEEK} AS week, sum(counts) AS quarters FROM reservation
       WHERE ${LISTED} AND user = ? AND ends <= ? AND ends > ? GROUP BY week`,
      ...[user_id, now, since],
    )
    return { unfinished, weeks }
  },

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
