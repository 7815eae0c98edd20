import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { answerCalls } from '../concurrency/answer-calls.ts'
import { prepare, readRow } from './sqlite.ts'
import {
  type CheckpointThread,
  PHASE,
  runScript,
  truncateWal,
  type WalWorkerOptions,
  writeFirst,
} from './wal-checkpoints-thread.ts'

/** The worker thread that checkpoints the WAL (see wal-checkpoints.ts). */

const { path, phase } = workerData as WalWorkerOptions
const database = new DatabaseSync(path, { timeout: 0 })
// On macOS, plain fsync does not reach the disk. No effect elsewhere.
database.exec('PRAGMA synchronous = NORMAL; PRAGMA fullfsync = 1; PRAGMA wal_autocheckpoint = 0')
const copy = prepare<{ busy: number; log: number; checkpointed: number }>(database, 'PRAGMA wal_checkpoint(PASSIVE)')

const checkpoint = (): boolean => {
  try {
    const { busy, log, checkpointed } = readRow(copy)
    if (busy !== 0 || log !== checkpointed) return false
  } catch {
    // Like SQLite's own checkpoints: the next one retries.
    return false
  }
  const isAlone = Atomics.compareExchange(phase, 0, PHASE.copying, PHASE.restarting) === PHASE.copying
  return isAlone && writeFirst(database)
}

const truncate = (): boolean => {
  if (!truncateWal(database)) return false
  writeFirst(database)
  return true
}

const run: CheckpointThread['run'] = (task) => {
  try {
    if (task === 'checkpoint') return checkpoint()
    return task === 'truncate' ? truncate() : runScript(database, task.script)
  } finally {
    Atomics.store(phase, 0, PHASE.idle)
    Atomics.notify(phase, 0)
  }
}

answerCalls({ open: () => undefined, run } satisfies CheckpointThread, { close: () => database.close() })
