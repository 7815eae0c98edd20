import type { SQLInputValue } from 'node:sqlite'
import type { NewVersion } from './version.ts'

/** What the table of a projection has beside its documents, so that lists are answered through indexes. */
export interface ListColumns {
  /** Definitions of its further columns. */
  readonly columns: readonly string[]
  /** Its indexes, and tables that are kept in step with it. */
  readonly schema: string
}

/** Keeps what lists need in step with the rows. */
export interface ListWriter {
  /** Called for every row before it is written; the values of its further columns, in their order. */
  readonly enter: (version: NewVersion) => readonly SQLInputValue[]
  /** Called before a row is marked as replaced. */
  readonly leave: (position: number) => void
  /** Writes what was only noted: before a commit, and before a list is read. */
  readonly flush: () => void
  /** After a transaction that failed. */
  readonly forget: () => void
}
