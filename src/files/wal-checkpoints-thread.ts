import type { DatabaseSync } from 'node:sqlite'
import { prepare, readRow, SQLITE, sqliteCode } from './sqlite.ts'

/** Checkpoint phase, shared by both threads. */
export const PHASE = {
  idle: 0,
  /** Pages are being copied. Others may write, which is detected. */
  copying: 1,
  /** Another connection has written since. */
  interrupted: 2,
  /** The WAL is being restarted or emptied, or a script runs. Nobody else may write. */
  restarting: 3,
} as const

export interface WalWorkerOptions {
  readonly path: string
  readonly phase: Int32Array
}

export type WorkerTask = 'checkpoint' | 'truncate' | { readonly script: string }

export interface CheckpointThread {
  /** Returns once the file is open. */
  readonly open: () => void
  /** False if the database is locked, in use or full. @throws the error of a failed disk */
  readonly run: (task: WorkerTask) => boolean
}

const harmless: readonly (number | undefined)[] = [SQLITE.busy, SQLITE.full]

/** For what may succeed when it is tried again. */
const falseIfBusyOrFull = (work: () => boolean): boolean => {
  try {
    return work()
  } catch (error) {
    if (harmless.includes(sqliteCode(error))) return false
    throw error
  }
}

/**
 * The first write after a complete checkpoint restarts the WAL and waits for its header to be synced. This one changes
 * nothing. False if the database is locked or full.
 */
export const writeFirst = (database: DatabaseSync): boolean =>
  falseIfBusyOrFull(() => {
    const { user_version } = readRow(prepare<{ user_version: number }>(database, 'PRAGMA user_version'))
    database.exec(`PRAGMA user_version = ${user_version}`)
    return true
  })

/** Copies the whole WAL into the file and empties it. False if another connection uses it. */
export const truncateWal = (database: DatabaseSync): boolean =>
  falseIfBusyOrFull(() => database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0)

/** Runs a script that contains a transaction. False if the database is locked or full; then nothing has changed. */
export const runScript = (database: DatabaseSync, script: string): boolean =>
  falseIfBusyOrFull(() => {
    try {
      database.exec(script)
      return true
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK')
    }
  })
