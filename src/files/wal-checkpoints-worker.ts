/** The worker thread that checkpoints the WAL (see wal-checkpoints.ts). */

import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { answerCalls } from '../concurrency/answer-calls.ts'
import { type CheckpointThread, emptyWrite, runScript, truncateWal } from './wal-checkpoints.ts'

const database = new DatabaseSync(String(workerData), { timeout: 0 })
// On macOS, plain fsync does not reach the disk. No effect elsewhere.
database.exec('PRAGMA synchronous = NORMAL; PRAGMA fullfsync = 1; PRAGMA wal_autocheckpoint = 0')

const reader = new DatabaseSync(String(workerData), { readOnly: true, timeout: 0 })

const write = emptyWrite(database)

/**
 * Copies the WAL into the file, and takes the lock of writers: whoever writes first after a complete copy restarts the
 * WAL and waits for the disk, which the thread that answers requests must not. Until the lock is taken, for which it
 * waits, a reader of the WAL keeps everybody from restarting it.
 */
const copyAndLock = (): boolean => {
  try {
    reader.exec('BEGIN; PRAGMA user_version')
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE')
    return true
  } catch {
    // Like SQLite's own checkpoints: the next one retries.
    return false
  } finally {
    database.exec('PRAGMA busy_timeout = 0')
    if (reader.isTransaction) reader.exec('COMMIT')
  }
}

const functions: CheckpointThread = {
  open: () => undefined,
  checkpoint: () => copyAndLock() && runScript(database, `${write}; COMMIT`),
  truncate: () => truncateWal(database) && (runScript(database, write) || true),
  run: (script) => runScript(database, script),
}

answerCalls(functions, {
  close: () => {
    reader.close()
    database.close()
  },
})
