/**
 * Fastify with PostgreSQL, which refuses overlaps itself: one statement, and so one transaction, per reservation. Queries
 * follow pg's documentation, over TCP, its default.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify } from 'fastify'
import { DatabaseError, Pool } from 'pg'
import { startPostgres } from './postgres.ts'

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
const INSERT = `${VALUES} RETURNING id AS _id`
/** Cannot deadlock, but checks all reservations before the insert. */
const CAREFUL_INSERT = `${VALUES} ON CONFLICT DO NOTHING RETURNING id AS _id`
const COUNT = `
  SELECT count(*)::int AS reservations, count(DISTINCT (sut_id, start_time))::int AS windows FROM reservation`

const EXCLUSION_VIOLATION = '23P01'
/** The error of two overlapping inserts that wait for each other. */
const DEADLOCK_DETECTED = '40P01'

/** A requested reservation. Times are in UTC with milliseconds, so that they compare as strings. */
interface Wanted {
  readonly user_id: string
  readonly sut_id: string
  readonly start_time: string
  readonly end_time: string
}

const string = { type: 'string', minLength: 1 }
const time = { type: 'string', format: 'date-time' }
const required = ['user_id', 'sut_id', 'start_time', 'end_time']
const properties = { user_id: string, sut_id: string, start_time: time, end_time: time }
const WANTED = { type: 'object', required, properties }
const RESERVATION = { type: 'object', required: ['_id', ...required], properties: { _id: string, ...properties } }

// A signal may arrive while the store is being opened.
const stopped = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
})
// In the same parent directory as Berth's, so on the same disk.
const directory = mkdtempSync(join(tmpdir(), 'berth-peer-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
const postgres = await startPostgres(directory)
const { user, port } = postgres
const pool = new Pool({ host: '127.0.0.1', port, user, database: 'postgres', max: CONNECTIONS })
await pool.query(SCHEMA)

/** Resolves to undefined if the window overlaps another of the SUT. */
const create = async (wanted: Wanted, text = INSERT): Promise<object | undefined> => {
  const values = [wanted.user_id, wanted.sut_id, wanted.start_time, wanted.end_time]
  try {
    const [made] = (await pool.query<{ _id: string }>({ text, values })).rows
    return made && { ...made, ...wanted }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    if (error.code === DEADLOCK_DETECTED) return create(wanted, CAREFUL_INSERT)
    if (error.code === EXCLUSION_VIOLATION) return undefined
    throw error
  }
}

const app = fastify()
app.post<{ Body: Wanted }>(
  '/api/sut_reservation/create',
  { schema: { body: WANTED, response: { 201: RESERVATION } } },
  async ({ body }, reply) => {
    const [start, end] = [new Date(body.start_time), new Date(body.end_time)]
    if (!(start < end)) return reply.code(400).send({ message: 'the end must be after the start' })
    const made = await create({ ...body, start_time: start.toISOString(), end_time: end.toISOString() })
    if (made === undefined) return reply.code(409).send({ message: 'the window is taken' })
    return reply.code(201).send(made)
  },
)
app.get('/count', async () => (await pool.query(COUNT)).rows[0])
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url, pids: [postgres.pid] })}\n`)
await stopped
await app.close()
await pool.end()
await postgres.stop()
