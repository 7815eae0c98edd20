import type { DatabaseSync } from 'node:sqlite'
import type { StorePosition } from '../../domain/values/position.ts'
import { prepare, readRow } from '../../files/sqlite.ts'

/** The last event of a stream. */
export interface Head {
  readonly revision: number
  readonly position: StorePosition
}

/** Heads in memory, so that an append needs no lookup; about 150 bytes each. More are forgotten once they are written. */
const KEPT_MAX = 20_000
/** Events between writes of the head table. A start reads the events after the last write: 2 us each. */
const SAVE_EVERY = 4_096

/** SQL: the position up to which the table is current. */
const SAVED_UP_TO = "(SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'heads')"

/** SQL: the position of the last event appended. */
export const END = "SELECT CAST(value AS INTEGER) AS found FROM meta WHERE name = 'end'"

/** SQL: the position of the last event that is there. */
export const LAST = 'SELECT ifnull(max(position), -1) AS found FROM event'

/** SQL: the heads of streams with events after those that the table has. A tampered event may not be JSON. */
const LATE_HEADS = `
  SELECT recorded ->> '$.stream' AS stream, max(recorded ->> '$.revision') AS revision, max(position) AS position
  FROM event WHERE position > ${SAVED_UP_TO} AND iif(json_valid(recorded), recorded ->> '$.stream', NULL) IS NOT NULL
  GROUP BY 1`

/** SQL: the heads of all streams, from the table and from later events. */
export const ALL_HEADS = `
  WITH late AS MATERIALIZED (${LATE_HEADS})
  SELECT * FROM late
  UNION ALL SELECT stream, revision, position FROM head WHERE stream NOT IN (SELECT stream FROM late)`

export type Heads = ReturnType<typeof makeHeads>

/** The head table in the file, and the position it is current to. */
const makeTable = (database: DatabaseSync) => {
  const find = prepare<Head>(database, 'SELECT revision, position FROM head WHERE stream = ?')
  const insert = database.prepare('INSERT INTO head (stream, revision, position) VALUES (?, ?, ?)')
  const update = database.prepare('UPDATE head SET revision = ?, position = ? WHERE stream = ?')
  const upTo = prepare<{ position: StorePosition }>(database, `SELECT ${SAVED_UP_TO} AS position`)
  const setUpTo = database.prepare("UPDATE meta SET value = ? WHERE name = 'heads'")
  const setEnd = database.prepare("UPDATE meta SET value = ? WHERE name = 'end'")
  const late = prepare<Head & { readonly stream: string }>(database, LATE_HEADS)
  const lateOne = prepare<Head>(database, `SELECT revision, position FROM (${LATE_HEADS}) WHERE stream = ?`)
  return {
    find: (stream: string) => find.get(stream),
    /** For readers: the head of a stream among the later events. */
    findLate: (stream: string) => lateOne.get(stream),
    upTo: () => readRow(upTo).position,
    /** The heads of streams with later events. */
    late: () => new Map(late.all().map(({ stream, revision, position }) => [stream, { revision, position }])),
    setEnd: (last: StorePosition): void => {
      setEnd.run(String(last))
    },
    write: (heads: Iterable<readonly [string, Head]>, last: StorePosition): void => {
      for (const [stream, { revision, position }] of heads) {
        if (update.run(revision, position, stream).changes === 0) insert.run(stream, revision, position)
      }
      setUpTo.run(String(last))
    },
  }
}

/**
 * Tracks the head of each stream. Every append moves one. With many streams each head is on another page, which would
 * be written twice per append. So heads are written behind, with the position they are current to. The events after
 * that position provide the rest.
 *
 * @param isWriter whether this process is the only writer, so heads it moved need not be read back
 */
export const makeHeads = (database: DatabaseSync, isWriter: boolean) => {
  const table = makeTable(database)
  /** Those that have moved, some of them after `upTo`. */
  const kept: Map<string, Head> = isWriter ? table.late() : new Map()
  /** Those that the transaction moves. */
  const moving = new Map<string, Head>()
  let upTo = table.upTo()
  let writing: StorePosition | undefined

  const writeTo = (last: StorePosition): void => {
    const unwritten = [...kept].filter(([, { position }]) => position > upTo)
    table.write(new Map([...unwritten, ...moving]), last)
    writing = last
  }

  const own = (stream: string): Head | undefined => moving.get(stream) ?? kept.get(stream) ?? table.find(stream)

  return {
    get: isWriter ? own : (stream: string): Head | undefined => table.findLate(stream) ?? table.find(stream),
    /** Sets a stream's head, inside a transaction. */
    move: (stream: string, head: Head): void => {
      moving.set(stream, head)
    },
    /** Writes the end of the log, inside a transaction, and the stream heads when due. */
    write: (last: StorePosition): void => {
      if (moving.size === 0) return
      table.setEnd(last)
      if (last - upTo >= SAVE_EVERY) writeTo(last)
    },
    /** Writes all heads in a transaction before closing, unless the file ends elsewhere than this process left it. */
    writeAll: (last: StorePosition, found: () => StorePosition): void => {
      try {
        database.exec('BEGIN IMMEDIATE')
        if (found() === last) writeTo(last)
        database.exec('COMMIT')
      } catch {
        // Closing rolls it back, and the next start reads the heads from the events.
      }
    },
    committed: (): void => {
      for (const [stream, head] of moving) kept.set(stream, head)
      moving.clear()
      if (writing === undefined) return
      if (kept.size > KEPT_MAX) kept.clear()
      upTo = writing
      writing = undefined
    },
    /** The transaction, or part of it, was rolled back. */
    forget: (): void => {
      moving.clear()
      writing = undefined
    },
  }
}
