import type { DatabaseSync } from 'node:sqlite'
import type { Logged, NewEvent } from '../../domain/event.ts'
import type { SealedSecret } from '../../domain/sealed-secret.ts'
import { type StorePosition, toStorePosition } from '../../domain/values/position.ts'
import { type Appended, NO_STREAM } from '../event-store.ts'
import { encodeEvent, leafHash } from '../stored-event.ts'
import type { Head, Heads } from './heads.ts'
import type { PositionLookup } from './read.ts'

/** An append queued for a batch. Already encoded, so encoding errors never reach the batch. */
export interface Append {
  readonly stream: string
  readonly expected: number
  readonly events: readonly NewEvent[]
  readonly rows: readonly { readonly recorded: string; readonly leaf: Uint8Array }[]
  readonly secrets: readonly SealedSecret[]
}

/** @throws TypeError for an append that is invalid in any state of the log */
export const makeSqliteAppend = (
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

/** Result of an append. `recorded` contains the events added to the log; it is empty for a repeated append. */
export type Written = { readonly appended: Appended; readonly recorded: readonly Logged[] } | 'moved'

/** Writes an append inside a transaction. `last` is the position of the log's last event. */
export type WriteAppend = (append: Append, last: StorePosition) => Written

export const makeWrite = (
  database: DatabaseSync,
  lookup: PositionLookup,
  heads: Heads,
  putSecrets: (secrets: readonly SealedSecret[]) => void,
): WriteAppend => {
  const insertEvent = database.prepare('INSERT INTO event (position, previous, recorded, leaf) VALUES (?, ?, ?, ?)')

  /** Recognises a repeated append: the same ids follow `expected`. Other events may follow them. */
  const repeated = ({ expected, events }: Append, head: Head | undefined): Written => {
    if (head === undefined || head.revision < expected + events.length) return 'moved'
    const behind = lookup.backFrom(head.position, head.revision - expected)
    const positions = behind.slice(-events.length).reverse()
    const isThere = events.every(({ id }, index) => {
      const recorded = lookup.recordedAt(positions[index] as StorePosition)
      return JSON.parse(recorded).id === id
    })
    if (!isThere) return 'moved'
    return {
      appended: { revision: expected + events.length, storePosition: positions.at(-1) as StorePosition },
      recorded: [],
    }
  }

  return (append, last) => {
    const { stream, expected, events, rows, secrets } = append
    const head = heads.get(stream)
    if ((head?.revision ?? NO_STREAM) !== expected) return repeated(append, head)
    let previous = head?.position ?? null
    const recorded = events.map(({ type, data, id, metadata }, index) => {
      const { recorded: text, leaf } = rows[index] as (typeof rows)[number]
      const storePosition = toStorePosition(last + 1 + index)
      insertEvent.run(storePosition, previous, text, leaf)
      previous = storePosition
      return { type, data, stream, revision: expected + 1 + index, id, metadata, storePosition, leaf } as Logged
    })
    const appended = { revision: expected + rows.length, storePosition: toStorePosition(last + rows.length) }
    putSecrets(secrets)
    // Keep this last, so that the head does not move if an earlier step fails.
    heads.move(stream, { revision: appended.revision, position: appended.storePosition })
    return { appended, recorded }
  }
}
