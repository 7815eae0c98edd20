import type { SQLInputValue } from 'node:sqlite'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { NewVersion } from './version.ts'

/** Additional columns and indexes of a projection that has lists. */
export interface ListColumns {
  /** Definitions of additional columns. */
  readonly columns: readonly string[]
  /** Indexes, and tables kept in step with the rows. */
  readonly schema: string
  /** Whether `observed` and `is_observed` are among the columns. */
  readonly hasObserved?: boolean
}

/** Keeps the tables behind lists in step with the rows. */
export interface ListWriter {
  /** Called before a row is written. Returns the values of the additional columns, in order. */
  readonly enter: (version: NewVersion) => readonly SQLInputValue[]
  /** Called before a row is marked as replaced by another one, which is in the table. */
  readonly leave: (position: PublicPosition, by: PublicPosition) => void
  /** Writes buffered changes, before a commit and before a list is read. */
  readonly flush: () => void
  /** Called after a failed transaction. */
  readonly forget: () => void
}

/** For a table that has nothing to do there. */
export const nothing = (): void => undefined
