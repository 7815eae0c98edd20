import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { prepare, readRow, walPath } from '../../files/sqlite.ts'
import { StoreUnavailable } from '../event-store.ts'

type SyncFile = (done: (error: Error | null) => void) => void

/** An open WAL, synced in a libuv thread. */
export const openWal = (file: string) => {
  const wal = openSync(walPath(file), 'r+')
  const sync: SyncFile = (done) => fdatasync(wal, done)
  return { sync, close: (): void => closeSync(wal) }
}

export type Sync = ReturnType<typeof makeSync>

/**
 * Deferred fsync: commits do not wait for the disk; code that publishes them does. Runs one sync at a time. Each covers
 * everything committed before it began.
 *
 * @param onFatal called once, before any promise rejects
 */
export const makeSync = (sync: SyncFile, onFatal: (error: Error) => void) => {
  let inProgress: PromiseWithResolvers<void> | undefined
  /** For commits since that sync began. */
  let next: PromiseWithResolvers<void> | undefined
  /** After a failed fsync the disk state is unknown, and a second fsync may falsely succeed. */
  let failed: Error | undefined

  const fail = (error: Error): void => {
    failed = new StoreUnavailable(`the log cannot be synced: ${error.message}`, { cause: error })
    onFatal(failed)
    for (const waiting of [inProgress, next]) waiting?.reject(failed)
  }

  const run = (one: PromiseWithResolvers<void>): void => {
    inProgress = one
    next = undefined
    sync((error) => {
      if (error !== null) return fail(error)
      inProgress = undefined
      // Start the next sync before waking the waiters: both then run in parallel.
      if (next !== undefined) run(next)
      one.resolve()
    })
  }

  /** Resolves when everything committed so far is on disk; undefined if it already is. */
  const pending = (): Promise<void> | undefined =>
    failed === undefined ? (next ?? inProgress)?.promise : Promise.reject(failed)

  return {
    /** Call after a commit. Resolves when the commit is on disk. Rejects with StoreUnavailable if it may not be. */
    begin: (): Promise<void> => {
      if (next === undefined && failed === undefined) {
        next = Promise.withResolvers()
        // Not every committer waits for it.
        next.promise.catch(() => undefined)
        if (inProgress === undefined) run(next)
      }
      return pending() as Promise<void>
    },
    pending,
  }
}

/** Windows can flush only files opened for writing. */
const OPEN_FLAGS = process.platform === 'win32' ? 'r+' : 'r'

/** Blocks until everything readable in a log file is on disk. Its writer may not have synced it yet. */
export const syncWal = (file: string): void => {
  let wal: number
  try {
    wal = openSync(walPath(file), OPEN_FLAGS)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    fdatasyncSync(wal)
  } finally {
    closeSync(wal)
  }
}

/**
 * Makes durable what a killed process left in the WAL. The WAL is checkpointed into the file: if an earlier fsync of
 * the WAL failed, another would do nothing and succeed. If the checkpoint fails (disk full, or readers), the WAL is
 * still synced.
 */
export const recoverWal = (database: DatabaseSync, file: string): void => {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // The log is still readable. The first append reports the error.
  }
  syncWal(file)
}

/**
 * Whether the WAL contains pages that are not in the file: the disk was too full for `recoverWal`, or a reader needed
 * them.
 */
export const hasUncopiedPages = (database: DatabaseSync): boolean => {
  const { log, checkpointed } = readRow(
    prepare<{ log: number; checkpointed: number }>(database, 'PRAGMA wal_checkpoint(NOOP)'),
  )
  return log > checkpointed
}
