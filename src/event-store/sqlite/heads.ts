import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'

/** Where a stream ends. */
export interface Head {
  readonly revision: number
  readonly position: number
}

/** Streams whose heads are remembered, so that an append takes no look-up; about 150 bytes each. */
const CACHED_MAX = 20_000
/** Events after which heads are written. A start reads those behind the last that were: 2 us each. */
const SAVE_EVERY = 4_096

/** Up to which position the table has them, as SQL. */
const SAVED_UP_TO = "(SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'heads')"

/** The position of the last event that was appended, as SQL. */
export const END = "SELECT CAST(value AS INTEGER) AS found FROM meta WHERE name = 'end'"

/**
 * The heads of all streams, from the events behind those that the table has them of, and from the table. A tampered event
 * may be no JSON at all.
 */
export const ALL_HEADS = `
  WITH late AS MATERIALIZED (
    SELECT recorded ->> '$.stream' AS stream, max(recorded ->> '$.revision') AS revision, max(position) AS position
    FROM event WHERE position > ${SAVED_UP_TO} AND json_valid(recorded) GROUP BY 1
  )
  SELECT * FROM late WHERE stream IS NOT NULL
  UNION ALL SELECT stream, revision, position FROM head WHERE stream NOT IN (SELECT stream FROM late WHERE stream IS NOT NULL)`

/**
 * Where each stream ends. Every append moves one, and where there are many each is on another page, which would be written
 * twice for it. So they are written behind, with up to which position; the events behind that say the rest.
 */
export interface Heads {
  readonly get: (stream: string) => Head | undefined
  /** Says, inside a transaction, where a stream ends from now on. */
  readonly move: (stream: string, head: Head) => void
  /** Writes where the log ends, inside a transaction, and where its streams do when that is due. */
  readonly write: (last: number) => void
  /** Writes them all, in a transaction, before the file is closed: where it ends as this process last made it end. */
  readonly writeAll: (last: number, found: () => number) => void
  /** What was moved and written in the transaction stands. */
  readonly committed: () => void
  /** What was moved and written in the transaction, or a part of it, has been undone. */
  readonly forget: () => void
}

/** What the file has of them, with up to which position. */
const makeTable = (database: DatabaseSync) => {
  const find = database.prepare('SELECT revision, position FROM head WHERE stream = ?')
  const insert = database.prepare('INSERT INTO head (stream, revision, position) VALUES (?, ?, ?)')
  const update = database.prepare('UPDATE head SET revision = ?, position = ? WHERE stream = ?')
  const upTo = database.prepare(`SELECT ${SAVED_UP_TO} AS position`)
  const setUpTo = database.prepare("UPDATE meta SET value = ? WHERE name = 'heads'")
  const setEnd = database.prepare("UPDATE meta SET value = ? WHERE name = 'end'")
  const behind = database.prepare(`
    SELECT recorded ->> '$.stream' AS stream, recorded ->> '$.revision' AS revision, position
    FROM event WHERE position > ${SAVED_UP_TO} AND json_valid(recorded) ORDER BY position`)
  const late = database.prepare(`
    SELECT recorded ->> '$.revision' AS revision, position FROM event
    WHERE position > ${SAVED_UP_TO} AND iif(json_valid(recorded), recorded ->> '$.stream', NULL) = ?
    ORDER BY position DESC LIMIT 1`)
  return {
    find: (stream: string) => find.get(stream) as Head | undefined,
    /** For who does not write the log: the head of a stream among the events behind that. */
    findLate: (stream: string) => late.get(stream) as Head | undefined,
    upTo: () => (upTo.get() as { position: number }).position,
    /** Where the streams of the events behind that end. */
    behind: () => {
      const late = behind.iterate() as Iterable<Head & { stream: string }>
      return new Map([...late].map(({ stream, revision, position }) => [stream, { revision, position }]))
    },
    setEnd: (last: number): void => {
      setEnd.run(String(last))
    },
    write: (heads: Iterable<readonly [string, Head]>, last: number): void => {
      for (const [stream, { revision, position }] of heads) {
        if (update.run(revision, position, stream).changes === 0) insert.run(stream, revision, position)
      }
      setUpTo.run(String(last))
    },
  }
}

/** @param isWriter whether nobody else writes the log, so that what was moved here need not be read */
export const makeHeads = (database: DatabaseSync, isWriter: boolean): Heads => {
  const table = makeTable(database)
  const known = new LRUCache<string, Head>({ maxSize: CACHED_MAX, sizeCalculation: () => 1 })
  const unwritten: Map<string, Head> = isWriter ? table.behind() : new Map()
  const moving = new Map<string, Head>()
  let upTo = table.upTo()
  let writing: number | undefined

  const writeTo = (last: number): void => {
    table.write(new Map([...unwritten, ...moving]), last)
    writing = last
  }

  const own = (stream: string): Head | undefined =>
    moving.get(stream) ?? unwritten.get(stream) ?? known.get(stream) ?? table.find(stream)

  return {
    get: isWriter ? own : (stream) => table.findLate(stream) ?? table.find(stream),
    move: (stream, head) => {
      moving.set(stream, head)
    },
    write: (last) => {
      if (moving.size === 0) return
      table.setEnd(last)
      if (last - upTo >= SAVE_EVERY) writeTo(last)
    },
    writeAll: (last, found) => {
      try {
        database.exec('BEGIN IMMEDIATE')
        if (found() === last) writeTo(last)
        database.exec('COMMIT')
      } catch {
        // It is undone as the file is closed, and the next start reads them from the events.
      }
    },
    committed: () => {
      for (const [stream, head] of moving) unwritten.set(stream, head)
      moving.clear()
      if (writing === undefined) return
      for (const [stream, head] of unwritten) known.set(stream, head)
      unwritten.clear()
      upTo = writing
      writing = undefined
    },
    forget: () => {
      moving.clear()
      writing = undefined
    },
  }
}
