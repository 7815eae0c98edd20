import type { DatabaseSync } from 'node:sqlite'
import type { Logged } from '../domain/event.ts'
import { BEGINNING } from '../event-store/event-store.ts'
import { nodeHash } from '../event-store/stored-event.ts'

/**
 * The places of the log's events by public position, event id and mark, and the hashes of the Merkle tree over it
 * (RFC 6962, section 2.1), from which proofs of any size are read.
 */
export interface LogIndex {
  /** How many events it has: the size of the tree. */
  readonly size: () => number
  /** Where the store keeps the event at a public position; `BEGINNING` for -1. */
  readonly markAt: (position: number) => number | undefined
  readonly positionAt: (mark: number) => number | undefined
  readonly positionOf: (eventId: string) => number | undefined
  /**
   * The hash of the perfect subtree of 2^level leaves that begins at leaf index * 2^level; level 0 are the leaf hashes.
   *
   * @throws RangeError where the log does not fill it
   */
  readonly node: (level: number, index: number) => Uint8Array
}

/** An event on its way into the file. */
export interface LogRow extends Pick<Logged, 'mark' | 'id' | 'leaf'> {
  readonly position: number
}

/** Levels between those whose nodes are kept: the others are hashed from at most 2^8 of them. */
const STEP = 8
const WIDTH = 2 ** STEP

// The mark is the position in the embedded store, so that it takes no index there.
export const LOG_SCHEMA = `
  CREATE TABLE log (position INTEGER PRIMARY KEY, mark INTEGER NOT NULL, id BLOB NOT NULL, leaf BLOB NOT NULL) STRICT;
  CREATE INDEX log_by_id ON log (id);
  CREATE INDEX log_by_mark ON log (mark) WHERE mark <> position;
  CREATE TABLE tree (
    level INTEGER NOT NULL, n INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (level, n)
  ) STRICT, WITHOUT ROWID;`

const bytesOf = (eventId: string): Buffer => Buffer.from(eventId.replaceAll('-', ''), 'hex')

/** The root of a perfect tree over hashes, as many as a power of two. */
const rootOf = (hashes: readonly Uint8Array[]): Uint8Array => {
  let level = hashes
  while (level.length > 1) {
    level = Array.from({ length: level.length / 2 }, (_, n) =>
      nodeHash(level[2 * n] as Uint8Array, level[2 * n + 1] as Uint8Array),
    )
  }
  return level[0] as Uint8Array
}

export interface LogTable {
  readonly insert: (row: LogRow) => void
  readonly index: LogIndex
}

export const makeLogTable = (db: DatabaseSync): LogTable => {
  const insert = db.prepare('INSERT INTO log VALUES (?, ?, ?, ?)')
  const keep = db.prepare('INSERT INTO tree VALUES (?, ?, ?)')
  const size = db.prepare('SELECT ifnull(max(position), -1) + 1 AS found FROM log')
  const mark = db.prepare('SELECT mark AS found FROM log WHERE position = ?')
  const same = db.prepare('SELECT position AS found FROM log WHERE position = ? AND mark = position')
  const other = db.prepare('SELECT position AS found FROM log WHERE mark = ? AND mark <> position')
  const ofId = db.prepare('SELECT position AS found FROM log WHERE id = ?')
  const leaves = db.prepare('SELECT leaf AS hash FROM log WHERE position >= ? AND position < ? ORDER BY position')
  const nodes = db.prepare('SELECT hash FROM tree WHERE level = ? AND n >= ? AND n < ? ORDER BY n')
  const found = (row: unknown): number | undefined => (row as { found: number } | undefined)?.found

  /** The leaf hashes since the last node over them, as far as they all came by here. */
  const recent: Uint8Array[] = []

  const hashes = (level: number, from: number, count: number): readonly Uint8Array[] => {
    const rows = level === 0 ? leaves.all(from, from + count) : nodes.all(level, from, from + count)
    if (rows.length < count) throw new RangeError(`the log does not fill the nodes at level ${level} from ${from} on`)
    return rows.map(({ hash }) => hash as Uint8Array)
  }

  return {
    insert: ({ position, mark, id, leaf }) => {
      insert.run(position, mark, bytesOf(id), leaf)
      if (position % WIDTH === 0) recent.length = 0
      if (recent.length === position % WIDTH) recent.push(leaf)
      let n = position + 1
      for (let level = 0; n % WIDTH === 0; level += STEP) {
        n /= WIDTH
        const isAtHand = level === 0 && recent.length === WIDTH
        keep.run(level + STEP, n - 1, rootOf(isAtHand ? recent : hashes(level, (n - 1) * WIDTH, WIDTH)))
      }
    },
    index: {
      size: () => found(size.get()) as number,
      markAt: (position) => (position === -1 ? BEGINNING : found(mark.get(position))),
      positionAt: (at) => (at === BEGINNING ? -1 : (found(same.get(at)) ?? found(other.get(at)))),
      positionOf: (eventId) => found(ofId.get(bytesOf(eventId))),
      node: (level, n) => {
        const beyond = level % STEP
        return rootOf(hashes(level - beyond, n * 2 ** beyond, 2 ** beyond))
      },
    },
  }
}
