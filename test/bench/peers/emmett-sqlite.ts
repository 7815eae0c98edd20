import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Command, type Decider, DeciderCommandHandler, type Event } from '@event-driven-io/emmett'
import { getSQLiteEventStore, sqliteProjection } from '@event-driven-io/emmett-sqlite'
import { connectionOver } from './emmett-connection.ts'
import { type Count, type Reservation, type Reservations, serve, temporaryDirectory, type Wanted } from './server.ts'

/** Emmett on SQLite, as documented: a decider, a stream for each SUT, and a read table in the same transaction. */

/** Emmett's types do not accept interfaces for data. */
type Data = Pick<Reservation, keyof Reservation>
type ReservationCreated = Event<'ReservationCreated', Data>
type CreateReservation = Command<'CreateReservation', Data>
type Calendar = Pick<Wanted, 'start_time' | 'end_time'>[]

/** The state is rebuilt for every command, so it may be mutated. Copying it for every event would be quadratic. */
const decider: Decider<Calendar, CreateReservation, ReservationCreated> = {
  initialState: () => [],
  evolve: (calendar, { data }) => {
    calendar.push(data)
    return calendar
  },
  decide: ({ data }, calendar) => {
    const taken = calendar.some((other) => other.start_time < data.end_time && data.start_time < other.end_time)
    return taken ? [] : [{ type: 'ReservationCreated', data }]
  },
}

const TABLE = `
  CREATE TABLE reservation (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    sut_id TEXT NOT NULL,
    start_time TEXT NOT NULL,
    end_time TEXT NOT NULL
  )`
const INSERT = 'INSERT INTO reservation VALUES (?, ?, ?, ?, ?)'
const FIND = 'SELECT id AS _id, user_id, sut_id, start_time, end_time FROM reservation WHERE id = ?'
/** Counts events, not rows of the read table. */
const COUNT = `
  SELECT count(*) AS reservations, count(DISTINCT stream_id || ' ' || (message_data->>'$.start_time')) AS windows
  FROM emt_messages WHERE message_type = 'ReservationCreated'`

const reservations = sqliteProjection<ReservationCreated>({
  canHandle: ['ReservationCreated'],
  init: async ({ context }) => {
    await context.connection.command(TABLE)
  },
  handle: async (events, { connection }) => {
    for (const { data } of events) {
      await connection.command(INSERT, [data._id, data.user_id, data.sut_id, data.start_time, data.end_time])
    }
  },
})

/**
 * Runs commands one at a time. The original driver opens a connection for each and lets SQLite make them wait. The first
 * event of a stream is appended without an expected version, so two concurrent commands could both be first.
 */
const oneByOne = (): (<A>(work: () => Promise<A>) => Promise<A>) => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

const open = async (): Promise<Reservations> => {
  const fileName = join(temporaryDirectory(), 'events.db')
  const connection = connectionOver(fileName)
  const store = getSQLiteEventStore({
    fileName,
    connectionOptions: { singleton: true, connection },
    projections: [{ type: 'inline', projection: reservations }],
  })
  await store.schema.migrate()
  const handle = DeciderCommandHandler(decider)
  const exclusive = oneByOne()
  const reader = new DatabaseSync(fileName, { readOnly: true })
  const find = reader.prepare(FIND)
  return {
    create: (wanted) =>
      exclusive(async () => {
        const data = { _id: randomUUID(), ...wanted }
        const command: CreateReservation = { type: 'CreateReservation', data }
        const { newEvents } = await handle(store, `sut-${wanted.sut_id}`, command)
        return newEvents[0]?.data
      }),
    find: (id) => find.get(id) as Reservation | undefined,
    count: () => reader.prepare(COUNT).get() as unknown as Count,
    close: () => {
      reader.close()
      connection.close()
    },
  }
}

await serve(open)
