import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Projection } from '../../../projections/projection.ts'
import { prepare } from '../../files/sqlite.ts'
import { tablesOf } from '../tables/document-table.ts'

export type StoredRow = Readonly<Record<string, SQLOutputValue>>

/** A table derived from the log. */
export interface StoredTable {
  readonly name: string
  readonly isOfDocuments: boolean
  /** Ordered by key. */
  readonly rows: () => Iterable<StoredRow>
}

/** Everything in the file that is derived from the log: documents, and the tables behind lists. */
export const storedTables = (
  db: DatabaseSync,
  projections: readonly Pick<Projection, 'name'>[],
): readonly StoredTable[] => {
  const table = (name: string, selection: string, isOfDocuments = false): StoredTable => ({
    name,
    isOfDocuments,
    rows: () => prepare<StoredRow>(db, `SELECT * FROM ${selection}`).iterate(),
  })
  return [
    ...projections.flatMap(tablesOf).map((name) => table(name, `${name} ORDER BY position`, true)),
    table('log', 'log ORDER BY position'),
    table('tree', 'tree ORDER BY level, n'),
    table('period', 'period ORDER BY n'),
    table('name', 'name ORDER BY key'),
    table('segment', 'segment ORDER BY n'),
    table('sut_events', 'sut_events ORDER BY sut'),
    table('sut_tag', 'sut_tag ORDER BY sut, name'),
  ]
}
