import { type SessionColumns, STILL_OPEN } from '../../../projections/session.ts'
import type { ListTable } from './list-table.ts'

/** Rows that lists show. */
export const SESSION_LISTED = 'until IS NULL'
export const IS_OPEN = `closes = ${STILL_OPEN}`

// With `until` an index of listed rows answers by itself.
const COLUMNS = 'sut, user, reservation, opens, closes, until'

// `place` is that of the event in the history of its SUT, and `nth` its number among the events of sessions there (see
// session-places.ts).
export const sessionTable: ListTable = {
  columns: [
    'reservation TEXT NOT NULL',
    ...['sut', 'user', 'opens', 'closes', 'place', 'nth'].map((name) => `${name} INTEGER NOT NULL`),
  ],
  schema: `
  CREATE INDEX session_listed ON session (created, ${COLUMNS}) WHERE ${SESSION_LISTED};
  CREATE INDEX session_open ON session (created, ${COLUMNS}) WHERE ${SESSION_LISTED} AND ${IS_OPEN};
  CREATE INDEX session_by_sut ON session (sut, created, user, reservation, opens, closes, until) WHERE ${SESSION_LISTED};
  CREATE INDEX session_by_user ON session (user, created, sut, reservation, opens, closes, until) WHERE ${SESSION_LISTED};
  CREATE INDEX session_by_reservation ON session (reservation, created, sut, user, opens, closes, until) WHERE ${SESSION_LISTED};
  CREATE INDEX session_of_reservation ON session (reservation, position);
  CREATE INDEX session_of_sut ON session (sut, position, nth);
  CREATE INDEX session_in_history ON session (sut, place, nth);`,
  makeWriter: ({ names }) => ({
    enter: ({ columns }) => {
      const [reservation, sut_id, user_id, opens, closes] = columns as SessionColumns
      return [reservation, names.keyOf(sut_id), names.keyOf(user_id), opens, closes, -1, -1]
    },
  }),
}
