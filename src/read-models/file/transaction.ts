import type { DatabaseSync } from 'node:sqlite'

/** Writes in a transaction that stays open until `commit`. A failed write also discards everything noted for it. */
export const makeTransactions = (db: DatabaseSync, forget: () => void) => {
  let hasStaged = false
  return {
    writeOrRollBack: (write: () => void): void => {
      try {
        if (!db.isTransaction) {
          // The previous transaction was rolled back.
          if (hasStaged) forget()
          db.exec('BEGIN IMMEDIATE')
          hasStaged = true
        }
        write()
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK')
        throw error
      }
    },
    commit: () => {
      db.exec('COMMIT')
      hasStaged = false
    },
  }
}
