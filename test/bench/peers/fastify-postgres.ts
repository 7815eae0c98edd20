import { DatabaseError, Pool } from 'pg'
import { startPostgres } from './postgres.ts'
import { type Count, type Reservation, type Reservations, serve, temporaryDirectory, type Wanted } from './server.ts'

/**
 * Fastify with PostgreSQL, which refuses overlaps itself: one statement, and so one transaction, per reservation. Queries
 * follow pg's documentation, over TCP, its default.
 */

/** For 64 clients on one core, 10 and 20 were equally fast, and 5, 32 and 64 slower. */
const CONNECTIONS = 10

const SCHEMA = `
  CREATE EXTENSION btree_gist;
  CREATE TABLE reservation (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id text NOT NULL,
    sut_id text NOT NULL,
    start_time timestamptz NOT NULL,
    end_time timestamptz NOT NULL,
    EXCLUDE USING gist (sut_id WITH =, tstzrange(start_time, end_time) WITH &&)
  )`

const VALUES = 'INSERT INTO reservation (user_id, sut_id, start_time, end_time) VALUES ($1, $2, $3, $4)'
const INSERT = { text: `${VALUES} RETURNING id AS _id` }
/** Cannot deadlock, but checks all reservations before the insert. */
const CAREFUL_INSERT = { text: `${VALUES} ON CONFLICT DO NOTHING RETURNING id AS _id` }
const FIND = {
  text: 'SELECT id AS _id, user_id, sut_id, start_time, end_time FROM reservation WHERE id = $1',
}
const COUNT = `
  SELECT count(*)::int AS reservations, count(DISTINCT (sut_id, start_time))::int AS windows FROM reservation`

const EXCLUSION_VIOLATION = '23P01'
/** The error of two overlapping inserts that wait for each other. */
const DEADLOCK_DETECTED = '40P01'

const open = async (): Promise<Reservations> => {
  const directory = temporaryDirectory()
  const postgres = await startPostgres(directory)
  const { user, port } = postgres
  const pool = new Pool({ host: '127.0.0.1', port, user, database: 'postgres', max: CONNECTIONS })
  await pool.query(SCHEMA)
  const create = async (wanted: Wanted, insert = INSERT): Promise<Reservation | undefined> => {
    const values = [wanted.user_id, wanted.sut_id, wanted.start_time, wanted.end_time]
    try {
      const [made] = (await pool.query<{ _id: string }>({ ...insert, values })).rows
      return made && { ...made, ...wanted }
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      if (error.code === DEADLOCK_DETECTED) return create(wanted, CAREFUL_INSERT)
      if (error.code === EXCLUSION_VIOLATION) return undefined
      throw error
    }
  }
  return {
    create: (wanted) => create(wanted),
    find: async (id) => {
      if (!/^\d{1,18}$/.test(id)) return undefined
      return (await pool.query<Reservation>({ ...FIND, values: [id] })).rows[0]
    },
    count: async () => (await pool.query<Count>(COUNT)).rows[0] as Count,
    close: async () => {
      await pool.end()
      await postgres.stop()
    },
    pids: [postgres.pid],
  }
}

await serve(open)
