import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Count, type Reservation, type Reservations, serve, temporaryDirectory } from './server.ts'

/** Fastify with SQLite: a table of reservations, and a synced transaction for each. */

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE reservation (
    id INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    sut_id TEXT NOT NULL,
    start_time TEXT NOT NULL,
    end_time TEXT NOT NULL
  );
  CREATE INDEX reservation_by_sut ON reservation (sut_id, start_time)`

/** Reservations of a SUT do not overlap, so only the last one that starts before the end can conflict. */
const LAST_BEFORE =
  'SELECT end_time FROM reservation WHERE sut_id = ? AND start_time < ? ORDER BY start_time DESC LIMIT 1'
const INSERT = 'INSERT INTO reservation (user_id, sut_id, start_time, end_time) VALUES (?, ?, ?, ?)'
const FIND = 'SELECT CAST(id AS TEXT) AS _id, user_id, sut_id, start_time, end_time FROM reservation WHERE id = ?'
const COUNT = "SELECT count(*) AS reservations, count(DISTINCT sut_id || ' ' || start_time) AS windows FROM reservation"

const open = (): Reservations => {
  const database = new DatabaseSync(join(temporaryDirectory(), 'reservations.db'))
  database.exec(SCHEMA)
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const lastBefore = database.prepare(LAST_BEFORE)
  const insert = database.prepare(INSERT)
  const find = database.prepare(FIND)
  const transaction = <A>(work: () => A): A => {
    begin.run()
    try {
      const done = work()
      commit.run()
      return done
    } catch (error) {
      if (database.isTransaction) rollback.run()
      throw error
    }
  }
  return {
    create: (wanted) =>
      transaction(() => {
        const { user_id, sut_id, start_time, end_time } = wanted
        const last = lastBefore.get(sut_id, end_time) as { end_time: string } | undefined
        if (last !== undefined && last.end_time > start_time) return undefined
        const { lastInsertRowid } = insert.run(user_id, sut_id, start_time, end_time)
        return { _id: String(lastInsertRowid), ...wanted }
      }),
    find: (id) => find.get(id) as Reservation | undefined,
    count: () => database.prepare(COUNT).get() as unknown as Count,
    close: () => database.close(),
  }
}

await serve(open)
