import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { Logged } from '../../domain/event.ts'
import { laterPosition, type StorePosition, toStorePosition } from '../../domain/values/position.ts'
import { prepare, prepareArrays, readRow } from '../../files/sqlite.ts'
import { BEGINNING, type EventStore, type StoredRecord, StoreUnavailable } from '../event-store.ts'
import { decodeEvent, HASH_BYTES, UndecodableEvent } from '../stored-event.ts'
import type { Heads } from './heads.ts'
import type { Tail } from './tail.ts'

/** Events per page, which are decoded without yielding to the event loop. */
const PAGE_SIZE = 256
/** Links of a stream's chain followed without yielding to the event loop. */
const LINKS = 1024

export type PositionLookup = ReturnType<typeof makePositionLookup>

/** Looks up positions in the current state of the log, inside or outside a transaction. */
export const makePositionLookup = (database: DatabaseSync) => {
  const last = prepareArrays<[StorePosition]>(database, 'SELECT ifnull(max(position), -1) FROM event')
  const recorded = prepareArrays<[string]>(database, 'SELECT recorded FROM event WHERE position = ?')
  const back = prepareArrays<[StorePosition]>(
    database,
    `WITH RECURSIVE chain (position, previous) AS (
      SELECT position, previous FROM event WHERE position = ?
      UNION ALL
      SELECT event.position, event.previous FROM chain JOIN event ON event.position = chain.previous
      LIMIT ?
    ) SELECT position FROM chain`,
  )
  return {
    last: (): StorePosition => readRow(last)[0],
    /** The position of an event and of its predecessors in its stream, newest first, at most `count`. */
    backFrom: (position: StorePosition, count: number): readonly StorePosition[] =>
      back.all(position, count).map(([found]) => found),
    recordedAt: (position: StorePosition): string => readRow(recorded, position)[0],
  }
}

/** Runs a read. @throws StoreUnavailable */
export type RunRead = <A>(read: () => A) => A

/** Turns SQLite errors into StoreUnavailable. */
export const withReadErrors: RunRead = (read) => {
  try {
    return read()
  } catch (error) {
    throw new StoreUnavailable(`the log cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Reads in a process other than the writer, whose sync may be deferred: what is read is on disk when it is returned.
 *
 * @param sync syncs what has been written until now
 * @param last position of the log's last event. It says whether to sync again, where only events are read
 */
export const readDurably = (sync: () => void, last?: () => StorePosition): RunRead => {
  let synced = BEGINNING
  return (read) =>
    withReadErrors(() => {
      const result = read()
      const end = last?.()
      if (end === undefined || end > synced) sync()
      synced = end ?? synced
      return result
    })
}

/** Positions of a stream's events after a revision, newest first. */
const positionsAfter = async (
  lookup: PositionLookup,
  heads: Pick<Heads, 'get'>,
  stream: string,
  after: number,
  run: RunRead,
): Promise<readonly StorePosition[]> => {
  const head = run(() => heads.get(stream))
  const count = head === undefined ? 0 : head.revision - after
  if (head === undefined || count <= 0) return []
  const positions = [...run(() => lookup.backFrom(head.position, Math.min(count, LINKS)))]
  while (positions.length < count) {
    await turn()
    const [, ...further] = run(() =>
      lookup.backFrom(positions.at(-1) as StorePosition, Math.min(count - positions.length, LINKS) + 1),
    )
    if (further.length === 0) throw new Error(`the chain of ${stream} is broken before position ${positions.at(-1)}`)
    for (const position of further) positions.push(position)
  }
  return positions
}

/** Reads at most `count` events after a position. */
const makePages = (database: DatabaseSync, run: RunRead) => {
  // One hex text per page: a buffer per hash would cost more than reading the event.
  const page = prepareArrays<[string, StorePosition, string]>(
    database,
    'SELECT recorded, position, hex(leaf) FROM event WHERE position > ? ORDER BY position LIMIT ?',
  )
  return (storePosition: StorePosition, count: number): readonly Logged[] => {
    const rows = run(() => page.all(storePosition, count))
    const damaged = rows.find(([, , leaf]) => leaf.length !== 2 * HASH_BYTES)
    if (damaged !== undefined)
      throw new UndecodableEvent(`store position ${damaged[1]}: /leaf: must be ${HASH_BYTES} bytes`)
    const { buffer, byteOffset } = Buffer.from(rows.map(([, , leaf]) => leaf).join(''), 'hex')
    return rows.map(([recorded, position], n) => {
      const leaf = new Uint8Array(buffer, byteOffset + n * HASH_BYTES, HASH_BYTES)
      return Object.assign(decodeEvent(recorded, position), { leaf })
    })
  }
}

type LogReader = Pick<EventStore, 'at' | 'recordAt' | 'readStream' | 'records' | 'subscribe' | 'head'>

export const makeReader = (
  database: DatabaseSync,
  lookup: PositionLookup,
  heads: Pick<Heads, 'get'>,
  tail: Tail,
  run: RunRead,
): LogReader => {
  const selectRecords = prepare<StoredRecord>(
    database,
    `
    SELECT position AS storePosition, recorded AS text, leaf, previous FROM event
    WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
  `,
  )
  const pageAfter = makePages(database, run)
  return {
    at: async (storePosition) =>
      pageAfter(toStorePosition(storePosition - 1), 1).find((event) => event.storePosition === storePosition),
    recordAt: async (storePosition) => {
      const [row] = run(() => selectRecords.all(storePosition - 1, storePosition, 1))
      return row && { ...row }
    },
    async *readStream(stream, after) {
      const positions = await positionsAfter(lookup, heads, stream, Math.max(after, BEGINNING), run)
      for (let end = positions.length; end > 0; end -= PAGE_SIZE) {
        if (end < positions.length) await turn()
        const ofPage = positions.slice(Math.max(0, end - PAGE_SIZE), end).reverse()
        const texts = run(() => ofPage.map(lookup.recordedAt))
        yield texts.map((recorded, n) => decodeEvent(recorded, ofPage[n] as StorePosition))
      }
    },
    async *records(after) {
      const end = run(lookup.last)
      for (let last = laterPosition(after, BEGINNING); last < end; await turn()) {
        const rows = run(() => selectRecords.all(last, end, PAGE_SIZE))
        yield rows.map((row) => ({ ...row }))
        last = rows.at(-1)?.storePosition ?? end
      }
    },
    async *subscribe(after, signal) {
      let last = laterPosition(after, BEGINNING)
      let isCaughtUp = false
      while (!signal.aborted && !tail.hasEnded()) {
        const live = tail.after(last, PAGE_SIZE)
        const events = live ?? pageAfter(last, PAGE_SIZE)
        if (events.length === 0 && isCaughtUp) {
          await tail.changed(signal)
          continue
        }
        last = events.at(-1)?.storePosition ?? last
        isCaughtUp = run(lookup.last) <= last
        yield { events, caughtUp: isCaughtUp }
        if (live === undefined || !isCaughtUp) await turn()
      }
    },
    head: async () => run(lookup.last),
  }
}
