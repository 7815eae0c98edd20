import type { RunQuery } from '../../files/sqlite.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import { RESERVATION_LISTED } from '../tables/reservation-table.ts'
import { condition } from './conditions.ts'
import type { HeldRow, Lists, UpcomingRow } from './lists.ts'
import { listedThrough } from './scope.ts'

export const makeUpcoming =
  (ask: RunQuery): Lists['upcoming'] =>
  ({ from, to, after, limit }) => {
    const { sql, values } = listedThrough('reservation_by_end', [
      condition('r.ended IS NULL AND r.ends > ?', from),
      condition('r.starts < ? AND r.position > ?', to, after),
    ])
    return ask<UpcomingRow>(
      `SELECT d.position, d.id AS _id FROM (SELECT r.position ${sql} ORDER BY r.position LIMIT ?) AS page
       CROSS JOIN reservation d WHERE d.position = page.position ORDER BY d.position`,
      ...values,
      limit,
    )
  }

/**
 * The SUTs with a reservation that ended within a span, the end included, and whose end has not been recorded.
 */
export const makeUnrecorded =
  (ask: RunQuery): Lists['unrecorded'] =>
  ({ from, to }) =>
    ask<{ id: string }>(
      `SELECT DISTINCT n.id FROM segment s CROSS JOIN reservation r INDEXED BY reservation_by_end
       CROSS JOIN name n ON n.key = r.sut
       WHERE r.segment = s.n AND ${RESERVATION_LISTED} AND r.ended IS NULL AND r.ends > ? AND r.ends <= ?
       AND NOT EXISTS (
         SELECT 1 FROM reservation_run x WHERE x.id = (SELECT id FROM reservation WHERE position = r.position)
         AND x.until IS NULL AND x.document NOT LIKE '%"ended":null}')`,
      from,
      to,
    ).map(({ id }) => id)

const OF_SEGMENT = `FROM reservation r INDEXED BY reservation_by_sut CROSS JOIN name n ON n.key = r.sut
  WHERE r.segment = ? AND ${RESERVATION_LISTED}`

/** A page is a segment. */
export const makeWindows =
  (ask: RunQuery): Lists['windows'] =>
  (moment, from = 0) => {
    const [segment, following] = ask<{ n: number }>('SELECT n FROM segment WHERE n >= ? ORDER BY n LIMIT 2', from)
    if (segment === undefined) return { next: undefined, windows: [], ends: [] }
    return {
      next: following?.n,
      windows: ask<Omit<HeldRow, 'isReleased'> & { readonly isReleased: number }>(
        `SELECT n.id AS sut_id, r.starts AS start, r.ends AS "end", r.ended IS 'released' AS isReleased
         ${OF_SEGMENT} AND r.ends > ?`,
        segment.n,
        moment,
      ).map((row) => ({ ...row, isReleased: row.isReleased === 1 })),
      ends: ask(
        `SELECT n.id AS sut_id, max(r.ends) AS "end" ${OF_SEGMENT} AND r.ends <= ? GROUP BY r.sut`,
        segment.n,
        moment,
      ),
    }
  }

/** Reads every row after the position, which is recent. */
export const makeEndedSince =
  (ask: RunQuery, names: IdKeys): Lists['endedSince'] =>
  (userId, after) => {
    const rows = ask<{ ended: 'cancelled' | 'released'; n: number }>(
      `SELECT ended, count(*) AS n FROM reservation
       WHERE position > ? AND user = ? AND until IS NULL AND ended IS NOT NULL GROUP BY ended`,
      after,
      names.find(userId) ?? -1,
    )
    return { cancelled: 0, released: 0, ...Object.fromEntries(rows.map(({ ended, n }) => [ended, n])) }
  }
