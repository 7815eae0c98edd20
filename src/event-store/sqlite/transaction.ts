import type { DatabaseSync } from 'node:sqlite'
import * as E from 'fp-ts/lib/Either.js'
import { SQLITE, sqliteCode } from '../../files/sqlite.ts'
import type { AppendFailure } from '../event-store.ts'

/** Whether the input is at fault rather than the store. */
const isInputError = (error: unknown): boolean => {
  const code = sqliteCode(error)
  return code === undefined || code === SQLITE.tooBig || code === SQLITE.constraint || code === SQLITE.mismatch
}

export type Transactions = ReturnType<typeof makeTransactions>

/** Rolls back. Returns whether everything is certainly undone and the connection is usable. */
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
 * @param isIntact whether the log ends where this process last left it
 * @param onFatal called once, after the outcome was returned; the store then rejects everything
 * @param onFull called each time that nothing could be written because the file or the disk is full
 */
export const makeTransactions = (
  database: DatabaseSync,
  isIntact: () => boolean,
  onFatal: (error: Error) => void,
  onFull: () => void = () => undefined,
) => {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  let isDead = false

  const die = (error: unknown): void => {
    isDead = true
    // Runs before any response is sent: a client that sees the failure must not find the service ready.
    queueMicrotask(() => onFatal(error as Error))
  }

  return {
    /**
     * Runs `work` in a transaction and returns its result after the commit, which syncs unless sync is deferred. On
     * failure nothing computed in it may be used, and all of it fails alike: by the error of `work` if its input is at
     * fault, and nothing was written then.
     */
    run: <A>(work: () => A): E.Either<Exclude<AppendFailure, 'moved'> | Error, A> => {
      if (isDead) return E.left('unavailable')
      let hasBegun = false
      let isCommitting = false
      try {
        begin.run()
        hasBegun = true
        if (!isIntact()) throw new Error('another process has written the log')
        const result = work()
        isCommitting = true
        commit.run()
        return E.right(result)
      } catch (error) {
        const code = sqliteCode(error)
        const isIntactAgain = tryRollBack(database, isIntact)
        if (isIntactAgain && !isCommitting && isInputError(error)) return E.left(error as Error)
        if (isIntactAgain && code === SQLITE.full) {
          onFull()
          return E.left('full')
        }
        if (isIntactAgain && code === SQLITE.busy) return E.left('unavailable')
        // The commit may be on disk although it failed.
        die(error)
        return E.left(hasBegun ? 'unknown' : 'unavailable')
      }
    },
  }
}
