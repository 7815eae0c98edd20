import type { DatabaseSync } from 'node:sqlite'
import type { ReservationColumns } from '../../../projections/reservation.ts'
import type { IdKeys } from './id-keys.ts'
import type { ListColumns, ListWriter } from './list-table.ts'
import { type Counted, RESERVATION_COUNTS_SCHEMA, type ReservationCounts } from './reservation-counts.ts'
import type { TimeIndex } from './time-index.ts'

/** Positions in a segment. */
const SEGMENT = 8_192

export const segmentOf = (created: number): number => Math.floor(created / SEGMENT)

/** What lists have: neither former versions nor what was cancelled. Indexes hold nothing else. */
export const LISTED = "until IS NULL AND ended IS NOT 'cancelled'"
/** What lists had before something took its place: only lists as of the past look there. A creation adds nothing to it. */
export const FORMER = 'until IS NOT NULL'

// A B-tree with scattered keys dirties a page for every row or two, and each dirty page is written twice. So the keys of
// an index begin with a segment of the order of creation: rows that are written together go into the same few pages, and
// whoever reads looks into every segment, newest first, which is some 100 look-ups at 1,000,000 reservations.
export const reservationColumns: ListColumns = {
  columns: ['segment', 'sut', 'user', 'starts', 'ends', 'time'].map((name) => `${name} INTEGER NOT NULL`),
  schema: `
  CREATE TABLE segment (n INTEGER PRIMARY KEY) STRICT;
  CREATE INDEX reservation_listed ON reservation (created) WHERE ${LISTED};
  CREATE INDEX reservation_by_sut ON reservation (segment, sut, created, ends, starts, user, ended, until)
    WHERE ${LISTED};
  CREATE INDEX reservation_by_user ON reservation (segment, user, created, ends, starts, sut, ended, until)
    WHERE ${LISTED};
  CREATE INDEX reservation_by_end ON reservation (segment, ends, starts, created, sut, user, ended, until)
    WHERE ${LISTED};
  CREATE INDEX reservation_former ON reservation (segment, sut, created, until, ends, starts, user, ended)
    WHERE ${FORMER};
  ${RESERVATION_COUNTS_SCHEMA}`,
}

export const makeReservationWriter = (
  db: DatabaseSync,
  names: IdKeys,
  counts: ReservationCounts,
  periods: TimeIndex,
): ListWriter => {
  const addSegment = db.prepare('INSERT OR IGNORE INTO segment VALUES (?)')
  const leaving = db.prepare(`SELECT sut, user, starts, ends FROM reservation WHERE position = ? AND ${LISTED}`)
  let newest = -1
  return {
    enter: ({ position, created, columns, ended }) => {
      const [sut_id, user_id, start, end, time] = columns as ReservationColumns
      const segment = segmentOf(created)
      if (segment > newest) {
        addSegment.run(segment)
        newest = segment
      }
      const counted = { sut: names.keyOf(sut_id), user: names.keyOf(user_id), starts: start, ends: end }
      if (ended === 'cancelled') counts.ended(counted.sut)
      else counts.listed(counted)
      periods.note(position, time)
      return [segment, counted.sut, counted.user, start, end, time]
    },
    leave: (position) => {
      const counted = leaving.get(position) as unknown as Counted | undefined
      if (counted !== undefined) counts.replaced(counted)
    },
    flush: counts.flush,
    forget: () => {
      newest = -1
      names.forget()
      counts.forget()
    },
  }
}
