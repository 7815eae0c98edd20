import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { Logged, NewEvent } from '../domain/event.ts'
import type { SealedSecret } from '../domain/sealed-secret.ts'
import { type Appended, NO_STREAM } from './event-store.ts'
import type { Head, Places } from './sqlite-read.ts'
import { encodeEvent, leafHash } from './stored-event.ts'

/** An append in its batch: encoded already, so that what cannot be encoded never gets there. */
export interface Append {
  readonly stream: string
  readonly expected: number
  readonly events: readonly NewEvent[]
  readonly rows: readonly { readonly recorded: string; readonly leaf: Uint8Array }[]
  readonly secrets: readonly SealedSecret[]
}

/** @throws TypeError for what cannot be appended whatever the state of the log */
export const makeAppend = (
  stream: string,
  expected: number,
  events: readonly NewEvent[],
  secrets: readonly SealedSecret[],
): Append => {
  if (events.length === 0) throw new TypeError('an append needs at least one event')
  if (!Number.isSafeInteger(expected) || expected < NO_STREAM) throw new TypeError(`${expected} is not a revision`)
  const rows = events.map((event, index) => {
    const recorded = encodeEvent(stream, expected + 1 + index, event)
    return { recorded, leaf: new Uint8Array(leafHash(recorded)) }
  })
  return { stream, expected, events, rows, secrets }
}

/** What an append came to: `recorded` is what it added to the log, nothing if it was there already. */
export type Written = { readonly appended: Appended; readonly recorded: readonly Logged[] } | 'moved'

/** Streams whose heads are remembered, so that an append takes no look-up; about 150 bytes each. */
const HEADS_MAX = 20_000

export interface Writer {
  /** Writes an append, inside a transaction; `last` is the position of the log's last event. */
  readonly write: (append: Append, last: number) => Written
  /** Has to be called when anything that was written is undone. */
  readonly forget: () => void
}

export const makeWriter = (
  database: DatabaseSync,
  places: Places,
  putSecrets: (secrets: readonly SealedSecret[]) => void,
): Writer => {
  const heads = new LRUCache<string, Head>({ maxSize: HEADS_MAX, sizeCalculation: () => 1 })
  const insertEvent = database.prepare('INSERT INTO event (position, previous, recorded, leaf) VALUES (?, ?, ?, ?)')
  const insertHead = database.prepare('INSERT INTO head (stream, revision, position) VALUES (?, ?, ?)')
  const moveHead = database.prepare('UPDATE head SET revision = ?, position = ? WHERE stream = ? AND revision = ?')

  /** A repeated append: the very ids stand behind `expected`. They may have been followed by others since. */
  const repeated = ({ expected, events }: Append, head: Head | undefined): Written => {
    if (head === undefined || head.revision < expected + events.length) return 'moved'
    const behind = places.backFrom(head.position, head.revision - expected)
    const positions = behind.slice(-events.length).reverse()
    const isThere = events.every(({ id }, index) => {
      const recorded = places.recordedAt(positions[index] as number)
      return JSON.parse(recorded).id === id
    })
    if (!isThere) return 'moved'
    return { appended: { revision: expected + events.length, mark: positions.at(-1) as number }, recorded: [] }
  }

  const write: Writer['write'] = (append, last) => {
    const { stream, expected, events, rows, secrets } = append
    const head = heads.get(stream) ?? places.headOf(stream)
    if ((head?.revision ?? NO_STREAM) !== expected) return repeated(append, head)
    const recorded = events.map(({ type, data, id, metadata }, index) => {
      const { leaf } = rows[index] as (typeof rows)[number]
      return {
        type,
        data,
        stream,
        revision: expected + 1 + index,
        id,
        metadata,
        mark: last + 1 + index,
        leaf,
      } as Logged
    })
    let previous = head?.position ?? null
    rows.forEach((row, index) => {
      const position = last + 1 + index
      insertEvent.run(position, previous, row.recorded, row.leaf)
      previous = position
    })
    const appended = { revision: expected + rows.length, mark: last + rows.length }
    if (head === undefined) insertHead.run(stream, appended.revision, appended.mark)
    else if (moveHead.run(appended.revision, appended.mark, stream, expected).changes !== 1) {
      throw new Error(`the head of ${stream} moved inside a transaction`)
    }
    heads.set(stream, { revision: appended.revision, position: appended.mark })
    putSecrets(secrets)
    return { appended, recorded }
  }

  return { write, forget: () => heads.clear() }
}
