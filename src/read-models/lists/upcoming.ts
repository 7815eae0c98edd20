import type { PublicPosition } from '../../domain/values/position.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'

/** A span of Unix seconds, read in pages: reservations whose newest version is after a position, at most `limit`. */
interface SpanPage {
  readonly from: number
  readonly to: number
  readonly after: PublicPosition
  readonly limit: number
}

/** What the processes that act on time read. */
export const makeUpcomingReads = (ask: RunQuery) => ({
  /** What holds SUTs within a span, and the position of the newest version of each. */
  upcoming: ({
    from,
    to,
    after,
    limit,
  }: SpanPage): readonly { readonly position: PublicPosition; readonly _id: string }[] =>
    ask(
      `SELECT d.position, d.id AS _id FROM (
         SELECT position FROM reservation WHERE ${CURRENT} AND ended IS NULL AND ends > ? AND starts < ? AND +position > ?
         ORDER BY +position LIMIT ?) AS page
       CROSS JOIN reservation d WHERE d.position = page.position ORDER BY d.position`,
      ...[from, to, after, limit],
    ),

  /** The SUTs with a reservation that ended within a span, the end included, and whose end has not been recorded. */
  unrecorded: ({ from, to }: { readonly from: number; readonly to: number }): readonly string[] =>
    ask<{ sut: string }>(
      `SELECT DISTINCT sut FROM reservation
       WHERE ${CURRENT} AND ended IS NULL AND ends > ? AND ends <= ? AND internal ->> 'recorded' <> 'end'`,
      ...[from, to],
    ).map(({ sut }) => sut),

  /** How many reservations of a user were cancelled and released after a position. */
  endedSince: (userId: string, after: number) => {
    const rows = ask<{ ended: 'cancelled' | 'released'; n: number }>(
      `SELECT ended, count(*) AS n FROM reservation
       WHERE position > ? AND +user = ? AND ${CURRENT} AND ended IS NOT NULL GROUP BY ended`,
      ...[after, userId],
    )
    return { cancelled: 0, released: 0, ...Object.fromEntries(rows.map(({ ended, n }) => [ended, n])) }
  },
})
