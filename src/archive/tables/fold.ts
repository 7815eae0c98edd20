import { DatabaseSync } from 'node:sqlite'
import type { Projection, Row } from '../../../projections/projection.ts'
import { reservationProjection } from '../../../projections/reservation.ts'
import { sessionProjection } from '../../../projections/session.ts'
import { type SutInternal, sutProjection } from '../../../projections/sut.ts'
import { sutRequestProjection } from '../../../projections/sut-request.ts'
import type { Recorded } from '../../domain/event.ts'
import type { FoldedObject, FoldedOutage, FoldedRefusal, TableName } from './tables.ts'

const PROJECTIONS: readonly (readonly [table: TableName, projection: Projection])[] = [
  ['machines', sutProjection],
  ['reservations', reservationProjection],
  ['sessions', sessionProjection],
  ['requests', sutRequestProjection],
]

/** The later of two times of a log, whose clocks may have been behind. Both have the same form. */
const laterOf = (one: string, other: string): string => (one > other ? one : other)

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
  /** Outages that have not ended, by SUT. */
  const open = new Map<string, { readonly id: string; readonly outage: FoldedOutage }>()

  const foldOutage = (sutId: string, { began, status, cause }: SutInternal, { id, metadata }: Recorded): void => {
    if (!began) return
    const current = open.get(sutId)
    const time = laterOf(metadata.time, current?.outage.began_at ?? '')
    if (current !== undefined) write('outages', current.id, { ...current.outage, ended_at: time })
    open.delete(sutId)
    if (status !== 'offline') return
    const outage = { sut_id: sutId, cause: String(cause), began_at: time }
    open.set(sutId, { id, outage })
    write('outages', id, outage)
  }

  const foldRefusals = ({ id, data }: Extract<Recorded, { readonly type: 'RefusalsCounted' }>): void => {
    const { from, to, refusals, others } = data
    const all: readonly FoldedRefusal[] = [
      ...refusals.map((refusal) => ({ from, to, ...refusal })),
      ...(others === undefined ? [] : [{ from, to, count: others }]),
    ]
    for (const [n, refusal] of all.entries()) write('refusals', `${id} ${n}`, refusal)
  }

  return {
    fold: (event: Recorded): void => {
      if (event.type === 'RefusalsCounted') foldRefusals(event)
      for (const [table, projection] of PROJECTIONS) {
        const id = projection.key(event)
        if (id === undefined) continue
        const found = projection.begins(event) ? undefined : find.get(table, id)
        const before = found && (JSON.parse(String(found.text)) as FoldedObject)
        const after: Row = projection.evolve(before, event)
        const ended = projection.ended?.(event) ?? null
        const ending = ended === null ? { ended: before?.ended ?? null, ended_at: before?.ended_at ?? null } : undefined
        write(table, id, { ...after, ...(ending ?? { ended, ended_at: event.metadata.time }) })
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
