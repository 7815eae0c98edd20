import type { QuotaExemptionColumns, ReservationColumns, SeriesColumns } from '../../../projections/reservation.ts'
import type { ReservationKeepaliveColumns } from '../../../projections/reservation-run.ts'
import { QUARTER } from '../../domain/calendar/window.ts'
import type { ListTable } from './list-table.ts'
import { SUT_EVENTS_SCHEMA } from './sut-events.ts'

/** Positions per segment. */
const SEGMENT = 8_192

export const segmentOf = (created: number): number => Math.floor(created / SEGMENT)

/** Rows that lists show unless they are asked for more: neither former versions nor cancelled reservations. */
export const RESERVATION_LISTED = "until IS NULL AND ended IS NOT 'cancelled'"
/** Rows of cancelled reservations, which lists show if asked to. */
export const CANCELLED = "until IS NULL AND ended = 'cancelled'"
/** Rows that lists showed before a newer version. Only lists as of the past read them. A creation adds none. */
export const RESERVATION_FORMER = 'until IS NOT NULL'

// As in domain/reservation/quota.ts. Only here are a version and the one before it at hand.
const CARRY_COUNTED = `UPDATE reservation SET counted = CASE reservation.ended
    WHEN 'cancelled' THEN 0
    WHEN 'released' THEN min(
      former.counted,
      max((reservation.ends * 1000 - reservation.starts * 1000 - reservation.lateness + ${QUARTER * 1000 - 1}) / ${QUARTER * 1000}, 1))
    ELSE iif(
      reservation.ends < former.ends,
      min(former.counted, max((reservation.ends - reservation.starts + ${QUARTER - 1}) / ${QUARTER}, 1)),
      former.counted + (reservation.ends - former.ends) / ${QUARTER}) END
  FROM reservation AS former WHERE former.position = ? AND reservation.position = ?`

// A B-tree with scattered keys dirties a page for every row or two, and each dirty page is written twice. The index
// keys therefore begin with a segment number in order of creation: rows written together share a few pages. A read
// searches every segment, newest first. That is about 100 look-ups at 1,000,000 reservations.
export const reservationTable: ListTable = {
  columns: ['segment', 'sut', 'user', 'starts', 'ends', 'lateness', 'counted'].map(
    (name) => `${name} INTEGER NOT NULL`,
  ),
  schema: `
  CREATE TABLE segment (n INTEGER PRIMARY KEY) STRICT;
  CREATE INDEX reservation_listed ON reservation (created) WHERE ${RESERVATION_LISTED};
  CREATE INDEX reservation_by_sut ON reservation (segment, sut, created, ends, starts, user, ended, until, lateness)
    WHERE ${RESERVATION_LISTED};
  CREATE INDEX reservation_by_user ON reservation (segment, user, created, ends, starts, sut, ended, until, lateness)
    WHERE ${RESERVATION_LISTED};
  CREATE INDEX reservation_by_end ON reservation (segment, ends, starts, created, sut, user, ended, until, lateness)
    WHERE ${RESERVATION_LISTED};
  CREATE INDEX reservation_cancelled ON reservation (segment, user, created, ends, starts, sut, ended, until, lateness)
    WHERE ${CANCELLED};
  CREATE INDEX reservation_former ON reservation (segment, sut, created, until, ends, starts, user, ended, lateness)
    WHERE ${RESERVATION_FORMER};
  ${SUT_EVENTS_SCHEMA}`,
  makeWriter: ({ db, names, events }) => {
    const addSegment = db.prepare('INSERT OR IGNORE INTO segment VALUES (?)')
    const carryCounted = db.prepare(CARRY_COUNTED)
    let newest = -1
    return {
      enter: ({ created, columns }) => {
        const [sut_id, user_id, start, end, lateness, counted] = columns as ReservationColumns
        const segment = segmentOf(created)
        if (segment > newest) {
          addSegment.run(segment)
          newest = segment
        }
        const sut = names.keyOf(sut_id)
        events.note(sut)
        return [segment, sut, names.keyOf(user_id), start, end, lateness, counted]
      },
      leave: (position, by) => void carryCounted.run(position, by),
      forget: () => {
        newest = -1
      },
    }
  },
}

/** Rows of reservations that do not count for a quota. Few do not. */
export const EXEMPT = 'until IS NULL AND is_exempt = 1'

export const exemptionTable: ListTable = {
  columns: ['user INTEGER NOT NULL', 'is_exempt INTEGER NOT NULL'],
  schema: `
  CREATE INDEX quota_exemption_by_user ON quota_exemption (user, id, is_exempt, until) WHERE ${EXEMPT};`,
  makeWriter: ({ names }) => ({
    enter: ({ columns }) => {
      const [user_id, isExempt] = columns as QuotaExemptionColumns
      return [names.keyOf(user_id), Number(isExempt)]
    },
  }),
}

/** Series count as events of their SUT. */
export const seriesTable: ListTable = {
  columns: ['sut INTEGER NOT NULL', 'user INTEGER NOT NULL'],
  schema: `
  CREATE INDEX series_listed ON series (created, sut, user);
  CREATE INDEX series_by_sut ON series (sut, created, user);
  CREATE INDEX series_by_user ON series (user, created, sut);`,
  makeWriter: ({ names, events }) => ({
    enter: ({ columns }) => {
      const [sut_id, user_id] = columns as SeriesColumns
      const sut = names.keyOf(sut_id)
      events.note(sut)
      return [sut, names.keyOf(user_id)]
    },
  }),
}

export const seriesMemberTable: ListTable = {
  columns: ['series TEXT NOT NULL'],
  schema: `
  CREATE INDEX series_member_by_series ON series_member (series, id);`,
  makeWriter: () => ({ enter: ({ columns }) => [columns[0] as string] }),
}

/** Recorded starts and ends of reservations. They count as events of their SUT. */
export const runTable: ListTable = {
  columns: ['sut INTEGER NOT NULL'],
  schema: '',
  makeWriter: ({ names, events }) => ({
    enter: ({ columns }) => {
      const sut = names.keyOf(columns[0] as string)
      events.note(sut)
      return [sut]
    },
  }),
}

/**
 * Reservations that have to be kept alive, and each time that they were. What kept one alive counts as an event of its
 * SUT; what made it is counted by the table of reservations.
 */
export const keepaliveTable: ListTable = {
  columns: ['sut INTEGER NOT NULL', 'keepalive INTEGER NOT NULL', 'is_kept INTEGER NOT NULL'],
  schema: '',
  makeWriter: ({ names, events }) => ({
    enter: ({ columns }) => {
      const [sutId, keepalive, isKept] = columns as ReservationKeepaliveColumns
      const sut = names.keyOf(sutId)
      if (isKept) events.note(sut)
      return [sut, keepalive, Number(isKept)]
    },
  }),
}

/** A row of a reservation of a series. */
export interface SeriesReservation {
  readonly id: string
  readonly document: string
  readonly ended: string | null
  /** Unix seconds. */
  readonly start: number
  readonly end: number
}
