import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { EndKind, Table } from '../../../projections/projection.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import { prepare } from '../../files/sqlite.ts'
import { makeInsertion } from './insertion.ts'
import type { LogRow } from './log-index.ts'
import { furtherColumns } from './schema.ts'

/** A version of an object, current from `position` until the next version. */
export interface Version {
  /** The public position of the event that made it. */
  readonly position: PublicPosition
  /** That event's revision in its stream. Of an event of another stream, that of the object's last own event. */
  readonly revision: number
  readonly id: string
  /** The document as JSON text, sent to clients unchanged. */
  readonly document: string
  /** What no answer shows as it is, as JSON text. */
  readonly internal: string
  readonly ended: EndKind | null
  /** The position of the object's first version; lists are in this order. */
  readonly created: PublicPosition
  /** How many events of another stream the document shows, where a projection has such. */
  readonly observed: number
}

export const VERSION_COLUMNS = 'position, revision, id, document, internal, ended, created, observed'

/** A version that is not in the file yet. */
export interface NewVersion extends Version {
  /** The position of the version it replaces; null for the first. */
  readonly replaces: PublicPosition | null
  /** Whether the version's own event is of another stream. */
  readonly isObserved: boolean
  /** The values of the further columns of its table. */
  readonly further: readonly SQLInputValue[]
}

/** What an event changed of an object. */
export interface RowChange {
  readonly projection: Table
  /** Undefined if the event created it. */
  readonly before: Version | undefined
  readonly after: NewVersion
}

/**
 * What an event adds to the file: its row in the log index, and a version for each projection it concerns.
 */
export type EventRow =
  | { readonly logRow: LogRow; readonly projection?: never; readonly version?: never }
  | { readonly logRow?: never; readonly projection: Table; readonly version: NewVersion }

export type VersionTable = ReturnType<typeof makeVersionTable>

const COMMON = ['position', 'revision', 'id', 'document', 'internal', 'ended', 'created', 'observed', 'is_observed']

export const makeVersionTable = (db: DatabaseSync, name: Table) => {
  const { add, flush, forget } = makeInsertion(db, name, [...COMMON, ...furtherColumns(name)])
  const replace = db.prepare(`UPDATE ${name} SET until = ? WHERE position = ?`)
  let replaced: { readonly former: PublicPosition; readonly by: PublicPosition }[] = []
  const select = (where: string) =>
    prepare<Version>(db, `SELECT ${VERSION_COLUMNS} FROM ${name} WHERE id = ? ${where} ORDER BY position DESC LIMIT 1`)
  const newest = select('')
  const asOf = select('AND revision <= ? AND is_observed <= ?')
  return {
    /** Takes a version. It is in the table after `flush` at the latest. */
    insert: (version: NewVersion): void => {
      const { position, revision, id, document, internal, ended, created, observed, isObserved, further } = version
      if (version.replaces !== null) replaced.push({ former: version.replaces, by: position })
      add([position, revision, id, document, internal, ended, created, observed, Number(isObserved), ...further])
    },
    flush: (): void => {
      flush()
      for (const { former, by } of replaced) replace.run(by, former)
      replaced = []
    },
    forget: (): void => {
      forget()
      replaced = []
    },
    newest: (id: string): Version | undefined => newest.get(id),
    /** The version as of a revision of its stream, by default without what was observed since. */
    asOf: (id: string, revision: number, withObserved: boolean): Version | undefined =>
      asOf.get(id, revision, Number(withObserved)),
  }
}
