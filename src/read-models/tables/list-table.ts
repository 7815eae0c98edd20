import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { IdKeys } from './id-keys.ts'
import type { SutEvents } from './sut-events.ts'
import type { NewVersion } from './version.ts'

/** What the table of a projection has in addition so that it can be listed. */
export interface ListTable {
  /** Definitions of additional columns. */
  readonly columns: readonly string[]
  /** Indexes, and tables kept in step with the rows. */
  readonly schema: string
  /** Whether `observed` and `is_observed` are among the columns. */
  readonly hasObserved?: boolean
  readonly makeWriter: (shared: SharedTables) => ListWriter
}

/** Tables that several lists share. They are flushed, and forget what is buffered, together (lists/open-lists.ts). */
export interface SharedTables {
  readonly db: DatabaseSync
  readonly names: IdKeys
  readonly events: SutEvents
}

/** Keeps the tables behind lists in step with the rows. */
interface ListWriter {
  /** Called before a row is written. Returns the values of the additional columns, in order. */
  readonly enter: (version: NewVersion) => readonly SQLInputValue[]
  /** Called before a row is marked as replaced by another one, which is in the table. */
  readonly leave?: (position: PublicPosition, by: PublicPosition) => void
  /** Called after a failed transaction. */
  readonly forget?: () => void
}
