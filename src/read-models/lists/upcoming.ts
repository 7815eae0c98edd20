import type { PublicPosition } from '../../domain/values/position.ts'
import type { RunQuery } from '../../files/sqlite.ts'
import { CURRENT } from '../tables/schema.ts'
import type { Version } from '../tables/version.ts'
import { and, condition, optional, type PageQuery } from './page.ts'
import { NOT_CANCELLED } from './reservations.ts'
import { hasTags, isVisible, type Visibility } from './scope.ts'
import { SUTS, type SutListQuery } from './suts.ts'

/** A span of Unix seconds, read in pages: reservations whose newest version is after a position, at most `limit`. */
interface SpanPage {
  readonly from: number
  readonly to: number
  readonly after: PublicPosition
  readonly limit: number
}

/** Which reservations a calendar has. Times are in Unix seconds. */
export interface CalendarQuery {
  readonly sut_id?: string
  /** Only those of SUTs that a list with these filters has. */
  readonly suts?: Omit<SutListQuery, keyof PageQuery>
  readonly user_id?: string
  /** Absent to see all. */
  readonly visibility?: Visibility | undefined
  /** Only reservations that end later, and of cancelled ones those that were cancelled later. */
  readonly since: number
  /** At most `limit`, those nearest to this time. */
  readonly now: number
  readonly limit: number
}

/** A reservation in a calendar, and its SUT if that is in sight. */
export interface CalendarRow extends Pick<Version, 'document' | 'internal' | 'ended'> {
  /** How often the document has changed, whatever else was recorded. */
  readonly changes: number
  readonly sutName: string | null
  readonly sutType: string | null
  /** As JSON text. */
  readonly tags: string | null
}

/** What is ahead, and was a while ago: for the processes that act on time, and for calendars. */
export const makeUpcomingReads = (ask: RunQuery) => ({
  /** Reservations of a calendar, by start. */
  calendar: ({ sut_id, suts, user_id, visibility, since, now, limit }: CalendarQuery): readonly CalendarRow[] => {
    const ofSuts = suts && and(SUTS.filters({ ...suts, limit, offset: 0 }, ask))
    const all = and([
      ...optional('sut = ?', sut_id),
      ...(ofSuts ? [condition(`sut IN (SELECT id FROM sut WHERE ${CURRENT}${ofSuts.sql})`, ...ofSuts.values)] : []),
      ...optional('user = ?', user_id),
      ...isVisible(visibility),
    ])
    const inSight = and(hasTags({ ...visibility?.scope }))
    return ask(
      `SELECT d.document, d.internal, d.ended, s.document ->> 'name' AS sutName, s.sut_type AS sutType, s.tags,
         (SELECT count(DISTINCT v.document) - 1 FROM reservation v WHERE v.id = d.id) AS changes
       FROM (SELECT position FROM reservation WHERE ${CURRENT} AND ends > ? AND (${NOT_CANCELLED}
               OR (SELECT time FROM log WHERE log.position = reservation.position) > ?)${all.sql}
             ORDER BY abs(starts - ?), created LIMIT ?) AS page
       CROSS JOIN reservation d LEFT JOIN sut s ON s.id = d.sut AND s.${CURRENT}${inSight.sql}
       WHERE d.position = page.position ORDER BY d.starts, d.created`,
      ...[since, since * 1000, ...all.values, now, limit, ...inSight.values],
    )
  },

  /** What holds SUTs within a span, and the position of the newest version of each. */
  upcoming: ({ from, to, after, limit }: SpanPage) =>
    ask<{ readonly position: PublicPosition; readonly _id: string }>(
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
