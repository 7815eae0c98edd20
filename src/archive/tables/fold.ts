import { DatabaseSync } from 'node:sqlite'
import type { Projection, Row } from '../../../projections/projection.ts'
import { refusalsProjection } from '../../../projections/refusals.ts'
import { reservationProjection } from '../../../projections/reservation.ts'
import { sessionProjection } from '../../../projections/session.ts'
import { type SutInternal, sutProjection } from '../../../projections/sut.ts'
import { sutRequestProjection } from '../../../projections/sut-request.ts'
import type { Recorded } from '../../domain/event.ts'
import type { FoldedObject, Outage, TableName } from './tables.ts'

const PROJECTIONS: readonly (readonly [table: TableName, projection: Projection])[] = [
  ['machines', sutProjection],
  ['reservations', reservationProjection],
  ['sessions', sessionProjection],
  ['requests', sutRequestProjection],
  ['refusals', refusalsProjection],
]

/**
 * Folds events into the rows of tables. They are kept in a temporary database of SQLite, without a name, which is deleted
 * when it is closed: memory is bounded whatever the length of the log.
 */
export const openFold = () => {
  const db = new DatabaseSync('')
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -64000; BEGIN;
    CREATE TABLE object (
      n INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (kind, id)
    ) STRICT`)
  const find = db.prepare('SELECT text FROM object WHERE kind = ? AND id = ?')
  const put = db.prepare(
    'INSERT INTO object (kind, id, text) VALUES (?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET text = excluded.text',
  )
  const write = (kind: TableName, id: string, folded: object): void => {
    put.run(kind, id, JSON.stringify(folded))
  }

  /** When the status of each SUT last changed, and the outage that began then. */
  const statuses = new Map<string, { readonly time: string; readonly id: string; readonly outage?: Outage }>()
  const foldOutage = (sut_id: string, { began, status, cause }: SutInternal, { id, metadata }: Recorded): void => {
    if (!began) return
    const last = statuses.get(sut_id)
    // The clock of another instance may have been behind.
    const time = last !== undefined && last.time > metadata.time ? last.time : metadata.time
    if (last?.outage !== undefined) write('outages', last.id, { ...last.outage, ended_at: time })
    const outage = { sut_id, cause: String(cause), began_at: time }
    if (status === 'offline') write('outages', id, outage)
    statuses.set(sut_id, { time, id, ...(status === 'offline' && { outage }) })
  }

  return {
    fold: (event: Recorded): void => {
      for (const [table, projection] of PROJECTIONS) {
        const id = projection.key(event)
        if (id === undefined) continue
        const row = projection.begins(event) ? undefined : find.get(table, id)
        const before = row && (JSON.parse(String(row.text)) as FoldedObject)
        const after: Row = projection.evolve(before, event)
        const ended = projection.ended?.(event) ?? null
        const ending = ended === null ? before : { ended, ended_at: event.metadata.time }
        write(table, id, { ...after, ended: ending?.ended ?? null, ended_at: ending?.ended_at ?? null })
        if (table === 'machines') foldOutage(id, after.internal as SutInternal, event)
      }
    },
    /** What a table has, in the order of creation. */
    *folded(table: TableName): Generator<object> {
      const rows = db.prepare('SELECT text FROM object WHERE kind = ? ORDER BY n')
      for (const { text } of rows.iterate(table)) yield JSON.parse(String(text)) as object
    },
    close: (): void => db.close(),
  }
}

export type Fold = ReturnType<typeof openFold>
