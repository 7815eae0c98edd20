import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../event-store.ts'

/** Whoever commits goes on, and the disk is waited for by who tells somebody of it. */
export interface Sync {
  /** Called after a commit; resolves when that is on the disk. Rejects with StoreUnavailable when it may not be. */
  readonly begin: () => Promise<void>
  /** The same for all that was committed so far; undefined when it is there. */
  readonly pending: () => Promise<void> | undefined
}

/** SQLite's name for the file that commits go into. */
const walPath = (file: string): string => `${file}-wal`

/** That file of a log, to be synced in another thread. */
export interface Wal {
  readonly sync: (done: (error: Error | null) => void) => void
  readonly close: () => void
}

export const openWal = (file: string): Wal => {
  const journal = openSync(walPath(file), 'r+')
  return { sync: (done) => fdatasync(journal, done), close: () => closeSync(journal) }
}

/**
 * Syncs one after the other, each for all that was committed before it began.
 *
 * @param onFatal called once, before anybody is told that a sync has failed
 */
export const makeSync = (sync: Wal['sync'], onFatal: (error: Error) => void): Sync => {
  let inProgress: PromiseWithResolvers<void> | undefined
  /** For what has been committed since that one began. */
  let next: PromiseWithResolvers<void> | undefined
  /** Nobody knows any more what the disk has, and asking it again would not tell. */
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
      // Before those who waited go on: the disk takes as long as they do.
      if (next !== undefined) run(next)
      one.resolve()
    })
  }

  const pending = (): Promise<void> | undefined =>
    failed === undefined ? (next ?? inProgress)?.promise : Promise.reject(failed)

  return {
    begin: () => {
      if (next === undefined && failed === undefined) {
        next = Promise.withResolvers()
        // Not everybody who commits waits.
        next.promise.catch(() => undefined)
        if (inProgress === undefined) run(next)
      }
      return pending() as Promise<void>
    },
    pending,
  }
}

/** Windows flushes only what may be written. */
const OPEN_FLAGS = process.platform === 'win32' ? 'r+' : 'r'

/** Waits until all that a log's file shows is on the disk: who writes it may be about to sync it. */
export const syncWal = (file: string): void => {
  let journal: number
  try {
    journal = openSync(walPath(file), OPEN_FLAGS)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    fdatasyncSync(journal)
  } finally {
    closeSync(journal)
  }
}

/**
 * Brings to the disk what a process that was killed has left in a log's journal. It goes into the file: where a sync of the
 * journal had failed, another would do nothing and succeed. Where it cannot go, because the disk is full or somebody reads,
 * the journal is synced all the same.
 */
export const recoverWal = (database: DatabaseSync, file: string): void => {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // The log can be read, and says with the first append what is wrong with it.
  }
  syncWal(file)
}
