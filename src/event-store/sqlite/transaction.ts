import type { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import type { AppendFailure } from '../event-store.ts'

const SQLITE_BUSY = 5
const SQLITE_FULL = 13
const SQLITE_TOOBIG = 18
const SQLITE_CONSTRAINT = 19
const SQLITE_MISMATCH = 20

/** The primary result code of an error from SQLite, undefined for any other. */
const sqliteCode = (error: unknown): number | undefined => {
  const { errcode } = error as { errcode?: number }
  return errcode === undefined ? undefined : errcode & 0xff
}

/** Whether what was to be written is at fault, and not the store: then the rest of a batch is none the worse for it. */
const isInputError = (error: unknown): boolean => {
  const code = sqliteCode(error)
  return code === undefined || code === SQLITE_TOOBIG || code === SQLITE_CONSTRAINT || code === SQLITE_MISMATCH
}

export interface Transactions {
  /**
   * Runs `work` in a transaction and gives its result only when that has been committed, and synced unless that is done
   * behind. Else nothing that came out of it may be used, and the outcome is the same for all of it.
   */
  readonly run: <A>(work: () => A) => E.Either<Exclude<AppendFailure, 'moved'>, A>
  /** Inside `run`: work whose own fault undoes it alone and is returned. A fault of the store is thrown. */
  readonly inSavepoint: <A>(work: () => A) => E.Either<Error, A>
}

/** Whether everything has been undone for certain and the connection serves on. */
const tryRollBack = (database: DatabaseSync, isIntact: () => boolean): boolean => {
  try {
    // SQLite rolls back by itself after some errors.
    if (database.isTransaction) database.exec('ROLLBACK')
    return isIntact()
  } catch {
    return false
  }
}

/**
 * @param isIntact whether the log ends where this process last made it end
 * @param onFatal called once, after the outcome has been returned; the store then refuses all that follows
 */
export const makeTransactions = (
  database: DatabaseSync,
  isIntact: () => boolean,
  onFatal: (error: Error) => void,
): Transactions => {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const savepoint = database.prepare('SAVEPOINT confined')
  const release = database.prepare('RELEASE confined')
  const undo = database.prepare('ROLLBACK TO confined')
  let isDead = false

  const die = (error: unknown): void => {
    isDead = true
    // Before any answer can have left: whoever is told that something failed must not find the service ready.
    queueMicrotask(() => onFatal(error as Error))
  }

  return {
    run: (work) => {
      if (isDead) return E.left('unavailable')
      let hasBegun = false
      try {
        begin.run()
        hasBegun = true
        if (!isIntact()) throw new Error('the log has been written by somebody else')
        const result = work()
        commit.run()
        return E.right(result)
      } catch (error) {
        const code = sqliteCode(error)
        const isIntactAgain = tryRollBack(database, isIntact)
        if (isIntactAgain && code === SQLITE_FULL) return E.left('full')
        if (isIntactAgain && code === SQLITE_BUSY) return E.left('unavailable')
        // The disk may hold the commit without having said so.
        die(error)
        return E.left(hasBegun ? 'unknown' : 'unavailable')
      }
    },
    inSavepoint: (work) => {
      savepoint.run()
      try {
        const result = work()
        release.run()
        return E.right(result)
      } catch (error) {
        if (!isInputError(error)) throw error
        undo.run()
        release.run()
        return E.left(error as Error)
      }
    },
  }
}
