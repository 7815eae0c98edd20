import type { DatabaseSync } from 'node:sqlite'
import type { Logged } from '../../domain/event.ts'
import {
  BEFORE_FIRST,
  type PublicPosition,
  type StorePosition,
  toPublicPosition,
} from '../../domain/values/position.ts'
import { bisect } from '../../domain/values/sorted-list.ts'
import { BEGINNING } from '../../event-store/event-store.ts'
import { nodeHash } from '../../event-store/stored-event.ts'
import { prepare, readRow } from '../../files/sqlite.ts'
import { makeInsertion } from './insertion.ts'

export type LogIndex = ReturnType<typeof makeLogTable>['index']

/** An event's row for this table. */
export interface LogRow extends Pick<Logged, 'id' | 'storePosition' | 'leaf'> {
  readonly position: PublicPosition
  /** When it was recorded, in Unix milliseconds. */
  readonly time: number
}

/** Every eighth level of nodes is stored. Nodes between are computed from at most 2^8 hashes. */
const STEP = 8
const WIDTH = 2 ** STEP

const SIZE = 'SELECT ifnull(max(position), -1) + 1 AS found FROM log'

const ID_BYTES = 16

/** The bytes of an event's id. What an invalid one lacks, as in a tampered log, becomes zeros. */
const idBytes = (id: string): Buffer => {
  const bytes = Buffer.alloc(ID_BYTES)
  bytes.write(id.replaceAll('-', ''), 'hex')
  return bytes
}

/** The root of a perfect tree over hashes, whose number is a power of two. */
const rootOf = (hashes: readonly Uint8Array[]): Uint8Array => {
  let level = hashes
  while (level.length > 1) {
    const next: Uint8Array[] = []
    for (let n = 0; n < level.length; n += 2) next.push(nodeHash(level[n] as Uint8Array, level[n + 1] as Uint8Array))
    level = next
  }
  return level[0] as Uint8Array
}

/**
 * Makes the function that finds the last event recorded at or before a time, in Unix milliseconds; -1 if there is none.
 * Along the log times grow, but for the difference of two instances' clocks: within that the answer is one of several.
 */
export const makePositionAt = (db: DatabaseSync): ((time: number) => PublicPosition) => {
  const size = prepare<{ found: number }>(db, SIZE)
  const at = prepare<{ time: number }>(db, 'SELECT time FROM log WHERE position = ?')
  return (time) => {
    const first = bisect(readRow(size).found, (n) => readRow(at, n).time > time)
    return first === 0 ? BEFORE_FIRST : toPublicPosition(first - 1)
  }
}

export const makeLogTable = (db: DatabaseSync) => {
  const { add, flush, forget } = makeInsertion(db, 'log', ['position', 'storePosition', 'id', 'leaf', 'time'])
  const keep = db.prepare('INSERT INTO tree VALUES (?, ?, ?)')
  const size = prepare<{ found: number }>(db, SIZE)
  const storePosition = prepare<{ found: StorePosition }>(
    db,
    'SELECT storePosition AS found FROM log WHERE position = ?',
  )
  // In the embedded store both positions are the same, which no index of store positions has.
  const publicPosition = prepare<{ found: PublicPosition }>(
    db,
    `SELECT position AS found FROM log
     WHERE position = :at AND storePosition = :at OR storePosition = :at AND storePosition <> position`,
  )
  const ofId = prepare<{ found: PublicPosition }>(db, 'SELECT position AS found FROM log WHERE id = ?')
  const leaves = prepare<{ hash: Uint8Array }>(
    db,
    'SELECT leaf AS hash FROM log WHERE position >= ? AND position < ? ORDER BY position',
  )
  const nodes = prepare<{ hash: Uint8Array }>(
    db,
    'SELECT hash FROM tree WHERE level = ? AND n >= ? AND n < ? ORDER BY n',
  )

  /** Leaf hashes since the last stored node, if all of them were seen here; `next` is the following position. */
  const recent: Uint8Array[] = []
  let next = 0
  const hashes = (level: number, from: number, count: number): readonly Uint8Array[] => {
    const rows = level === 0 ? leaves.all(from, from + count) : nodes.all(level, from, from + count)
    if (rows.length < count) throw new RangeError(`the log does not fill the nodes at level ${level} from ${from} on`)
    return rows.map(({ hash }) => hash)
  }

  return {
    flush,
    forget,
    /** Takes a row. It is in the table after `flush` at the latest. */
    insert: ({ position, storePosition, id, leaf, time }: LogRow): void => {
      add([position, storePosition, idBytes(id), leaf, time])
      if (position !== next || position % WIDTH === 0) recent.length = 0
      next = position + 1
      recent.push(leaf)
      let n = position + 1
      for (let level = 0; n % WIDTH === 0; level += STEP) {
        n /= WIDTH
        const isAtHand = level === 0 && recent.length === WIDTH
        if (!isAtHand) flush()
        keep.run(level + STEP, n - 1, rootOf(isAtHand ? recent : hashes(level, (n - 1) * WIDTH, WIDTH)))
      }
    },
    /**
     * Finds events of the log by public position, event id and store position. Also has the hashes of the Merkle tree
     * over the log (RFC 6962, section 2.1), from which proofs of any size are computed.
     */
    index: {
      /** The number of events: the size of the tree. */
      size: (): number => readRow(size).found,
      /** The store position of the event at a public position; `BEGINNING` for -1. */
      storePositionAt: (position: PublicPosition): StorePosition | undefined =>
        position === BEFORE_FIRST ? BEGINNING : storePosition.get(position)?.found,
      publicPositionAt: (at: StorePosition): PublicPosition | undefined =>
        at === BEGINNING ? BEFORE_FIRST : publicPosition.get({ at })?.found,
      positionOf: (eventId: string): PublicPosition | undefined => ofId.get(idBytes(eventId))?.found,
      /**
       * The hash of the perfect subtree of 2^level leaves that begins at leaf n * 2^level. Level 0 has the leaf hashes.
       *
       * @throws RangeError if the log does not fill it
       */
      node: (level: number, n: number): Uint8Array => {
        const beyond = level % STEP
        return rootOf(hashes(level - beyond, n * 2 ** beyond, 2 ** beyond))
      },
    },
  }
}
