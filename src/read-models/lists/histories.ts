import type { DatabaseSync } from 'node:sqlite'
import {
  diffDocuments,
  historyProjections,
  listChangedSecrets,
  type ValueChange,
} from '../../../projections/history.ts'
import type { Recorded } from '../../domain/event.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare, readRow } from '../../files/sqlite.ts'
import type { IdKeys } from '../tables/id-keys.ts'
import type { SutEvents } from '../tables/sut-events.ts'

/** An event's position in the log and revision in its stream. */
export interface HistoryPosition {
  readonly position: PublicPosition
  readonly revision: number
}

/** `place` counts the events of the history before it, `nth` those of sessions among them. */
interface SessionPlace {
  readonly position: PublicPosition
  readonly place: number
  readonly nth: number
}

/** Events of sessions in the history of their SUT, which merges them with its stream. */
export interface SessionEvents {
  readonly count: (sutId: string) => number
  /** Those from a place on and before another, in order. */
  readonly between: (sutId: string, from: number, to: number) => readonly SessionPlace[]
  /** The number of them before a place. */
  readonly countBefore: (sutId: string, place: number) => number
  /** The last one at or before a position in the log. */
  readonly lastUpTo: (sutId: string, position: PublicPosition) => SessionPlace | undefined
}

/** The history of objects and what each event changed, from the versions of their documents. */
export interface Histories {
  /** The events of an object, oldest first. */
  readonly positions: (of: 'reservation' | 'listen_port' | 'user', id: string) => readonly HistoryPosition[]
  /** The length of a SUT's stream, including events of its reservations. */
  readonly eventsOf: (sutId: string) => number
  /** What the event at a position changed. */
  readonly changes: (event: Recorded, position: PublicPosition) => readonly ValueChange[]
}

const parsed = (row: { readonly document: string } | undefined): object | undefined =>
  row && (JSON.parse(row.document) as object)

export const makeSessionEvents = (db: DatabaseSync, names: IdKeys): SessionEvents => {
  const select = (where: string) =>
    prepare<SessionPlace>(db, `SELECT position, place, nth FROM session WHERE sut = ? ${where}`)
  const between = select('AND place >= ? AND place < ? ORDER BY place')
  const first = select('AND place >= ? ORDER BY place LIMIT 1')
  const last = select('ORDER BY sut DESC, place DESC LIMIT 1')
  const lastUpTo = select('AND position <= ? ORDER BY position DESC LIMIT 1')
  const count: SessionEvents['count'] = (sutId) => {
    const sut = names.find(sutId)
    const newest = sut === undefined ? undefined : last.get(sut)
    return newest === undefined ? 0 : newest.nth + 1
  }
  const keyed = <A>(sutId: string, otherwise: A, read: (sut: number) => A): A => {
    const sut = names.find(sutId)
    return sut === undefined ? otherwise : read(sut)
  }
  return {
    count,
    between: (sutId, from, to) => keyed(sutId, [], (sut) => between.all(sut, from, to)),
    countBefore: (sutId, place) => keyed(sutId, 0, (sut) => first.get(sut, place)?.nth ?? count(sutId)),
    lastUpTo: (sutId, position) => keyed(sutId, undefined, (sut) => lastUpTo.get(sut, position)),
  }
}

export const makeHistories = (db: DatabaseSync, names: IdKeys, events: SutEvents): Histories => {
  const positionsIn = (...tables: readonly (readonly [table: string, where: string])[]) => {
    const each = tables.map(([table, where]) => `SELECT position, revision FROM ${table} WHERE ${where}`)
    return prepare<HistoryPosition>(db, `${each.join(' UNION ALL ')} ORDER BY position`)
  }
  const positions = {
    reservation: positionsIn(
      ['reservation', 'id = :id'],
      ['reservation_run', 'id = :id'],
      ['reservation_keepalive', 'id = :id AND is_kept = 1'],
      ['session', 'reservation = :id'],
    ),
    listen_port: positionsIn(['listen_port', 'id = :id']),
    user: positionsIn(['user', 'id = :id']),
  }
  const ownEvents = prepare<{ n: number }>(db, 'SELECT count(*) AS n FROM sut WHERE id = ? AND is_observed = 0')
  const documents = historyProjections.map(({ name, key }) => ({
    key,
    at: prepare<{ document: string }>(db, `SELECT document FROM ${name} WHERE position = ?`),
    before: prepare<{ document: string }>(
      db,
      `SELECT document FROM ${name} WHERE id = ? AND position < ? ORDER BY position DESC LIMIT 1`,
    ),
  }))
  return {
    positions: (of, id) => positions[of].all({ id }),
    eventsOf: (sutId) => {
      const sut = names.find(sutId)
      return readRow(ownEvents, sutId).n + (sut === undefined ? 0 : events.of(sut))
    },
    changes: (event, position) => [
      ...documents.flatMap(({ key, at, before }) => {
        const id = key(event)
        if (id === undefined) return []
        return diffDocuments(parsed(before.get(id, position)), parsed(at.get(position)))
      }),
      ...listChangedSecrets(event),
    ],
  }
}
