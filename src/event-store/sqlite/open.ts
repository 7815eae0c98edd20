import { closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RandomHex } from '../../domain/values/ids.ts'
import { DiskFull, orDiskFull } from '../../files/full-disk.ts'
import { LockTaken } from '../../files/lock.ts'
import { walPath } from '../../files/sqlite.ts'
import { UnusableLog } from '../event-store.ts'
import { END, LAST } from './heads.ts'
import { findMissingRows, findSchemaDifferences, isEmptyFile, readValue, refuseChanges } from './schema.ts'
import { recoverWal } from './sync.ts'
import { claimFile, confirmClaim, refuseMissingWal } from './writer-claim.ts'

const PRAGMAS = {
  journal_mode: 'wal',
  // FULL: a commit syncs before it returns.
  synchronous: 2,
  // On macOS, plain fsync does not reach the disk. No effect elsewhere.
  fullfsync: 1,
  foreign_keys: 1,
  // Overwrite deleted data: replaced secrets.
  secure_delete: 1,
  // Pages. A WAL checkpoint blocks everything: some 10 ms for one of these and 35 ms for one of 4,000.
  wal_autocheckpoint: 1000,
} as const

/**
 * NORMAL: only WAL checkpoints sync, in a worker thread (files/wal-checkpoints.ts). Commits are synced by the deferred
 * fsync.
 */
const DEFERRED_SYNC_PRAGMAS = { ...PRAGMAS, synchronous: 1 }

const setPragmas = (database: DatabaseSync, pragmas: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(pragmas)) {
    database.exec(`PRAGMA ${name} = ${value}`)
    const taken = readValue(database, `PRAGMA ${name}`)
    if (taken !== value) throw new UnusableLog(`rejected ${name} = ${value}: it is ${taken}`)
  }
}

/** Resolves links, so that a log has one name however it is reached. */
export const fileOf = (path: string): string => {
  if (existsSync(path)) return realpathSync(path)
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    throw new UnusableLog(`${path} cannot be created: there is no directory ${dirname(path)}`)
  }
}

const makeFile = (file: string): void => {
  const unfinished = statSync(walPath(file), { throwIfNoEntry: false })
  // SQLite would delete the WAL, which may hold the last events of a log that was moved or is about to be restored.
  if (unfinished !== undefined && unfinished.size > 0) throw new UnusableLog(`is missing, but ${walPath(file)} exists`)
  closeSync(openSync(file, 'wx', 0o600))
}

/** Events that have been removed from the end of the log, as a phrase. */
const findMissingEnd = (database: DatabaseSync): readonly string[] => {
  const [end, last] = [Number(readValue(database, END)), Number(readValue(database, LAST))]
  return end > last ? [`the log ends at ${last}, but the last append was at ${end}`] : []
}

/** How long a reader waits for other connections. */
export const READER_BUSY_TIMEOUT_MS = 5_000

/** Opens a log for reading while a writer may be running. @throws UnusableLog */
export const openToRead = (path: string): DatabaseSync =>
  openDatabase(fileOf(path), { readOnly: true, randomHex: () => '', busyTimeout: READER_BUSY_TIMEOUT_MS })

interface OpenDatabaseOptions {
  readonly readOnly: boolean
  readonly randomHex: RandomHex
  readonly busyTimeout: number
  readonly pagesMax?: number | undefined
  readonly isSyncDeferred?: boolean
}

/**
 * Opens the file found by `fileOf`. A writer must hold its lock; the file is created if missing, claimed.
 *
 * @throws UnusableLog, LockTaken if another process writes the file by another path, DiskFull
 */
export const openDatabase = (file: string, options: OpenDatabaseOptions): DatabaseSync => {
  const { readOnly, busyTimeout, pagesMax, isSyncDeferred = false } = options
  let database: DatabaseSync | undefined
  try {
    if (!readOnly && !existsSync(file)) makeFile(file)
    if (readOnly) refuseMissingWal(file)
    else claimFile(file, options)
    database = new DatabaseSync(file, { readOnly, timeout: busyTimeout })
    if (isEmptyFile(database)) throw new UnusableLog('contains no log yet')
    if (readOnly) return database
    setPragmas(database, isSyncDeferred ? DEFERRED_SYNC_PRAGMAS : PRAGMAS)
    if (pagesMax !== undefined) database.exec(`PRAGMA max_page_count = ${pagesMax}`)
    recoverWal(database, file)
    refuseChanges([...findSchemaDifferences(database), ...findMissingRows(database), ...findMissingEnd(database)])
    confirmClaim(database, file)
    return database
  } catch (cause) {
    database?.close()
    const error = orDiskFull(cause, file)
    if (error instanceof LockTaken || error instanceof DiskFull) throw error
    throw new UnusableLog(
      `${file} ${error instanceof UnusableLog ? '' : 'cannot be used as a log: '}${(error as Error).message}`,
      { cause: error },
    )
  }
}
