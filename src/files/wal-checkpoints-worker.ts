import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { PHASE, type WorkerMessage, type WorkerOptions } from './wal-checkpoint-thread.ts'

/** The worker thread that checkpoints the WAL (see wal-checkpoints.ts). */

const { path, phase } = workerData as WorkerOptions
const database = new DatabaseSync(path, { timeout: 0 })
// On macOS, plain fsync does not reach the disk. No effect elsewhere.
database.exec('PRAGMA synchronous = NORMAL; PRAGMA fullfsync = 1; PRAGMA wal_autocheckpoint = 0')
const copy = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
const version = database.prepare('PRAGMA user_version')

const send = (told: WorkerMessage): void => parentPort?.postMessage(told)

/** SQLITE_BUSY and SQLITE_FULL: the next checkpoint retries. */
const isHarmless = (error: unknown): boolean => [5, 13].includes(((error as { errcode?: number }).errcode ?? 0) & 0xff)

/** The first write after a complete checkpoint restarts the WAL and waits for its header to be synced. Do it here. */
const restart = (): string | undefined => {
  try {
    const { user_version } = version.get() as { user_version: number }
    database.exec(`PRAGMA user_version = ${user_version}`)
    return undefined
  } catch (error) {
    return isHarmless(error) ? undefined : (error as Error).message
  }
}

const checkpoint = (): string | undefined => {
  try {
    const { busy, log, checkpointed } = copy.get() as { busy: number; log: number; checkpointed: number }
    if (busy !== 0 || log !== checkpointed) return undefined
  } catch {
    // Like SQLite's own checkpoints: the next one retries.
    return undefined
  }
  const isAlone = Atomics.compareExchange(phase, 0, PHASE.copying, PHASE.restarting) === PHASE.copying
  return isAlone ? restart() : undefined
}

parentPort?.on('message', (asked: 'begin' | 'close') => {
  if (asked === 'close') {
    database.close()
    parentPort?.close()
    return
  }
  const failed = checkpoint()
  Atomics.store(phase, 0, PHASE.idle)
  Atomics.notify(phase, 0)
  send({ failed })
})
send('ready')
