import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { answerCalls } from '../concurrency/answer-calls.ts'
import { type CheckpointThread, restartWal, runScript, truncateWal } from './wal-checkpoints.ts'

/** The worker thread that checkpoints the WAL (see wal-checkpoints.ts). */

const database = new DatabaseSync(String(workerData), { timeout: 0 })
// On macOS, plain fsync does not reach the disk. No effect elsewhere.
database.exec('PRAGMA synchronous = NORMAL; PRAGMA fullfsync = 1; PRAGMA wal_autocheckpoint = 0')

/** Copies the WAL into the file. Whether all of it, so that the next write restarts it. */
const copyAll = (): boolean => {
  try {
    const { busy, log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {}
    return busy === 0 && log === checkpointed
  } catch {
    // Like SQLite's own checkpoints: the next one retries.
    return false
  }
}

const functions: CheckpointThread = {
  open: () => undefined,
  checkpoint: () => copyAll() && restartWal(database),
  truncate: () => truncateWal(database) && (restartWal(database) || true),
  run: (script) => runScript(database, script),
}

answerCalls(functions, { close: () => database.close() })
