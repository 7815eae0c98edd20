import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Projection } from '../../../projections/projection.ts'
import { RESERVATION_COUNTS_TABLES } from '../tables/reservation-counts.ts'

/** A row as it stands in the file. */
export type StoredRow = Readonly<Record<string, SQLOutputValue>>

/** A table whose rows the log gives. */
export interface StoredTable {
  readonly name: string
  readonly isOfDocuments: boolean
  /** In the order of their keys. */
  readonly rows: () => Iterable<StoredRow>
}

/** Everything in the file that the log gives: documents, and what lists are answered from beside them. */
export const storedTables = (
  db: DatabaseSync,
  projections: readonly Pick<Projection, 'name'>[],
): readonly StoredTable[] => {
  const table = (name: string, selection: string, isOfDocuments = false): StoredTable => ({
    name,
    isOfDocuments,
    rows: () => db.prepare(`SELECT * FROM ${selection}`).iterate() as Iterable<StoredRow>,
  })
  return [
    ...projections.map(({ name }) => table(name, `${name} ORDER BY position`, true)),
    table('log', 'log ORDER BY position'),
    table('tree', 'tree ORDER BY level, n'),
    table('period', 'period ORDER BY n'),
    table('name', 'name ORDER BY key'),
    table('segment', 'segment ORDER BY n'),
    // What there is no more of leaves a nought, or nothing where it came and went between two writings.
    ...RESERVATION_COUNTS_TABLES.map(([name, order]) => table(name, `${name} WHERE n <> 0 ORDER BY ${order}`)),
  ]
}
