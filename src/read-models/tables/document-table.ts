import type { DatabaseSync } from 'node:sqlite'
import type { Projection } from '../../../projections/projection.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import { type Insertion, makeInsertion } from './insertion.ts'
import type { ListTable, SharedTables } from './list-table.ts'
import { requestTable } from './request-table.ts'
import {
  exemptionTable,
  keepaliveTable,
  reservationTable,
  runTable,
  seriesMemberTable,
  seriesTable,
} from './reservation-table.ts'
import { sessionTable } from './session-table.ts'
import { sutDisplayTable, sutStatusTable, sutTable } from './sut-table.ts'
import type { NewVersion, Version } from './version.ts'

/** The projection of retry keys. */
export const RETRY_KEY = 'retry_key'

/**
 * Its tables, of twelve hours each (see retry-key-table.ts): that of now, two before it, so that keys are known for a day
 * at least, and one more for a clock that was wrong for a while.
 */
export const RETRY_KEY_TABLES = [1, 2, 3, 4].map((n) => `${RETRY_KEY}_${n}`)

/** The tables of a projection. */
export const tablesOf = ({ name }: Pick<Projection, 'name'>): readonly string[] =>
  name === RETRY_KEY ? RETRY_KEY_TABLES : [name]

const RETRY_KEY_SCHEMA = RETRY_KEY_TABLES.map(
  (name) => `
  CREATE TABLE ${name} (
    position INTEGER PRIMARY KEY, revision INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL,
    time INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ${name}_by_id ON ${name} (id);`,
).join('')

/** The projections with lists. */
const lists: Readonly<Partial<Record<string, ListTable>>> = {
  sut: sutTable,
  reservation: reservationTable,
  reservation_run: runTable,
  reservation_keepalive: keepaliveTable,
  session: sessionTable,
  sut_request: requestTable,
  sut_display: sutDisplayTable,
  series: seriesTable,
  series_member: seriesMemberTable,
  sut_status: sutStatusTable,
  quota_exemption: exemptionTable,
}

// Rows are keyed by position, which only grows: scattered keys would dirty a page each. Ids begin with their second and
// grow too.
/** The definition of a projection's table, with a row for each version of a document. */
export const documentSchema = ({ name }: Pick<Projection, 'name'>): string => {
  if (name === RETRY_KEY) return RETRY_KEY_SCHEMA
  const { columns, schema } = lists[name] ?? { columns: [], schema: '' }
  const ofLists = columns.length === 0 ? [] : ['created INTEGER NOT NULL', 'until INTEGER', ...columns]
  const all = ['revision INTEGER NOT NULL', 'id TEXT NOT NULL', 'document TEXT NOT NULL', 'ended TEXT', ...ofLists]
  return `
  CREATE TABLE ${name} (position INTEGER PRIMARY KEY, ${all.join(', ')}) STRICT;
  CREATE INDEX ${name}_by_id ON ${name} (id, position);
  ${schema}`
}

export interface DocumentTable extends Pick<Insertion, 'flush' | 'forget'> {
  /** Takes a version. It is in the table after `flush` at the latest. */
  readonly insert: (version: NewVersion) => void
  readonly newest: (id: string) => Version | undefined
  /** The version as of a revision of its stream. */
  readonly asOf: (id: string, revision: number, withObserved: boolean) => Version | undefined
}

/** The table of a projection without lists. */
const plainTable = (db: DatabaseSync, name: string): DocumentTable => {
  const { add, flush, forget } = makeInsertion(db, name, '?, ?, ?, ?, ?')
  return {
    flush,
    forget,
    insert: ({ position, revision, id, document, ended }) => add([position, revision, id, document, ended]),
    ...readsOf(db, name, 'position, revision, id, document, ended, position AS created'),
  }
}

/**
 * The table of a projection with lists: rows also have the position until which they were current, and the filter
 * columns.
 */
const listedTable = (
  shared: SharedTables,
  name: string,
  { columns, hasObserved = false, makeWriter }: ListTable,
): DocumentTable => {
  const { db } = shared
  const writer = makeWriter(shared)
  const { add, flush, forget } = makeInsertion(db, name, `?, ?, ?, ?, ?, ?, NULL${', ?'.repeat(columns.length)}`)
  const replace = db.prepare(`UPDATE ${name} SET until = ? WHERE position = ?`)
  let replaced: { readonly former: PublicPosition; readonly by: PublicPosition }[] = []
  return {
    insert: (version) => {
      const { position, revision, id, document, ended, created, replaces } = version
      if (replaces !== null) replaced.push({ former: replaces, by: position })
      add([position, revision, id, document, ended, created, ...writer.enter(version)])
    },
    flush: () => {
      flush()
      for (const { former, by } of replaced) {
        writer.leave?.(former, by)
        replace.run(by, former)
      }
      replaced = []
    },
    forget: () => {
      forget()
      writer.forget?.()
      replaced = []
    },
    ...readsOf(db, name, 'position, revision, id, document, ended, created', hasObserved),
  }
}

const readsOf = (
  db: DatabaseSync,
  name: string,
  shared: string,
  hasObserved = false,
): Pick<DocumentTable, 'newest' | 'asOf'> => {
  const columns = hasObserved ? `${shared}, observed` : shared
  const newest = prepare<Version>(db, `SELECT ${columns} FROM ${name} WHERE id = ? ORDER BY position DESC LIMIT 1`)
  const asOfWhere = (further: string) =>
    prepare<Version>(
      db,
      `SELECT ${columns} FROM ${name} WHERE id = ? AND revision <= ? ${further} ORDER BY position DESC LIMIT 1`,
    )
  const asOf = asOfWhere('')
  const asOfOwn = hasObserved ? asOfWhere('AND is_observed = 0') : asOf
  return {
    newest: (id) => newest.get(id),
    asOf: (id, revision, withObserved) => (withObserved ? asOf : asOfOwn).get(id, revision),
  }
}

export const makeDocumentTable = (shared: SharedTables, name: string): DocumentTable => {
  const list = lists[name]
  return list === undefined ? plainTable(shared.db, name) : listedTable(shared, name, list)
}
