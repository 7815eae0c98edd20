import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { answerCalls } from '../concurrency/answer-calls.ts'
import { prepare, readRow } from './sqlite.ts'
import {
  type CheckpointThread,
  isHarmless,
  PHASE,
  runScript,
  type TaskEnd,
  truncateWal,
  type WalWorkerOptions,
  type WorkerTask,
  writeFirst,
} from './wal-checkpoints-thread.ts'

/** The worker thread that checkpoints the WAL (see wal-checkpoints.ts). */

const { path, phase } = workerData as WalWorkerOptions
const database = new DatabaseSync(path, { timeout: 0 })
// On macOS, plain fsync does not reach the disk. No effect elsewhere.
database.exec('PRAGMA synchronous = NORMAL; PRAGMA fullfsync = 1; PRAGMA wal_autocheckpoint = 0')
const copy = prepare<{ busy: number; log: number; checkpointed: number }>(database, 'PRAGMA wal_checkpoint(PASSIVE)')

const endOf = (work: () => boolean): TaskEnd => {
  try {
    return { isDone: work() }
  } catch (error) {
    // The next task retries what is harmless.
    return { isDone: false, failed: isHarmless(error) ? undefined : (error as Error).message }
  }
}

/** The first write after a complete checkpoint restarts the WAL and waits for its header to be synced. Do it here. */
const restart = (): boolean => {
  writeFirst(database)
  return true
}

const checkpoint = (): TaskEnd => {
  try {
    const { busy, log, checkpointed } = readRow(copy)
    if (busy !== 0 || log !== checkpointed) return { isDone: false }
  } catch {
    // Like SQLite's own checkpoints: the next one retries.
    return { isDone: false }
  }
  const isAlone = Atomics.compareExchange(phase, 0, PHASE.copying, PHASE.restarting) === PHASE.copying
  return isAlone ? endOf(restart) : { isDone: false }
}

const truncate = (): TaskEnd => {
  const ended = endOf(() => truncateWal(database))
  return ended.isDone ? { ...endOf(restart), isDone: true } : ended
}

const work = (task: WorkerTask): TaskEnd => {
  if (task === 'checkpoint') return checkpoint()
  return task === 'truncate' ? truncate() : endOf(() => runScript(database, task.script))
}

const run: CheckpointThread['run'] = (task) => {
  const ended = work(task)
  Atomics.store(phase, 0, PHASE.idle)
  Atomics.notify(phase, 0)
  return ended
}

answerCalls({ open: () => undefined, run } satisfies CheckpointThread, { close: () => database.close() })
