import type { DatabaseSync } from 'node:sqlite'
import { type SessionColumns, STILL_OPEN } from '../../../projections/session.ts'
import { prepare } from '../../files/sqlite.ts'
import type { ListTable } from './list-table.ts'

/** Rows that lists show. */
export const SESSION_LISTED = 'until IS NULL'
export const IS_OPEN = `closes = ${STILL_OPEN}`
export const IS_CLOSED = `closes < ${STILL_OPEN}`

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
  CREATE TABLE session_total (what TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE session_count (of TEXT NOT NULL, key INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (of, key))
    STRICT, WITHOUT ROWID;
  CREATE INDEX session_listed ON session (created, ${COLUMNS}) WHERE ${SESSION_LISTED};
  CREATE INDEX session_open ON session (created, ${COLUMNS}) WHERE ${SESSION_LISTED} AND ${IS_OPEN};
  CREATE INDEX session_by_sut ON session (sut, created, user, reservation, opens, closes, until) WHERE ${SESSION_LISTED};
  CREATE INDEX session_by_user ON session (user, created, sut, reservation, opens, closes, until) WHERE ${SESSION_LISTED};
  CREATE INDEX session_by_reservation ON session (reservation, created, sut, user, opens, closes, until) WHERE ${SESSION_LISTED};
  CREATE INDEX session_by_time ON session (opens, closes, created, sut, user, reservation, until) WHERE ${SESSION_LISTED};
  CREATE INDEX session_of_reservation ON session (reservation, position);
  CREATE INDEX session_of_sut ON session (sut, position, nth);
  CREATE INDEX session_in_history ON session (sut, place, nth);`,
  // Sessions are rare beside reservations, so counts are written at once.
  makeWriter: ({ db, names }) => {
    const raise = db.prepare(
      "INSERT INTO session_total VALUES ('longest', ?) ON CONFLICT DO UPDATE SET n = max(n, excluded.n)",
    )
    const add = db.prepare('INSERT INTO session_count VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1')
    const addAll = db.prepare("INSERT INTO session_total VALUES ('all', 1) ON CONFLICT DO UPDATE SET n = n + 1")
    return {
      enter: ({ columns, replaces }) => {
        const [reservation, sut_id, user_id, opens, closes] = columns as SessionColumns
        const [sut, user] = [names.keyOf(sut_id), names.keyOf(user_id)]
        if (replaces === null) {
          addAll.run()
          add.run('sut', sut)
          add.run('user', user)
        }
        if (closes !== STILL_OPEN) raise.run(closes - opens)
        return [reservation, sut, user, opens, closes, -1, -1]
      },
    }
  },
}

/** The tables, and the columns that order each. */
export const SESSION_TABLES: readonly (readonly [table: string, order: string])[] = [
  ['session_total', 'what'],
  ['session_count', 'of, key'],
]

/** Counts of sessions, for when counting would read every row. */
export interface SessionCounts {
  readonly all: () => number
  readonly of: (kind: 'sut' | 'user', key: number) => number
  /** Milliseconds of the longest session that has been closed. */
  readonly longest: () => number
}

export const makeSessionCounts = (db: DatabaseSync): SessionCounts => {
  const total = prepare<{ n: number }>(db, 'SELECT n FROM session_total WHERE what = ?')
  const one = prepare<{ n: number }>(db, 'SELECT n FROM session_count WHERE of = ? AND key = ?')
  return {
    all: () => total.get('all')?.n ?? 0,
    of: (kind, key) => one.get(kind, key)?.n ?? 0,
    longest: () => total.get('longest')?.n ?? 0,
  }
}
