import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

/**
 * WAL checkpoints of a SQLite database in a worker thread, including the restart of the WAL. Both wait for the disk,
 * which may stall. The writing connection must have automatic checkpoints disabled.
 */
export interface WalCheckpoints {
  /** Call after each commit. Starts a checkpoint if the WAL has grown enough. */
  readonly afterCommit: () => void
  /**
   * Resolves when the running checkpoint ends; undefined if none is running. Writers that can wait should wait for it.
   */
  readonly inProgress: () => Promise<void> | undefined
  /**
   * For writers that cannot wait: whether they may write now. The WAL is then not restarted this time. Blocks for some
   * milliseconds while the WAL is being restarted or is too large.
   */
  readonly mayWrite: () => boolean
  /** Waits for the running checkpoint. */
  readonly close: () => Promise<void>
}

/** Checkpoint phase, shared by both threads. */
export const PHASE = {
  idle: 0,
  /** Pages are being copied. Others may write, which is detected. */
  copying: 1,
  /** Another connection has written since. */
  interrupted: 2,
  /** The WAL is being restarted. Nobody else may write. */
  restarting: 3,
} as const

/** Worker data. */
export interface WorkerOptions {
  readonly path: string
  readonly phase: Int32Array
}

/** `ready` once the file is open, then the end of each checkpoint with the error of a failed restart. */
export type WorkerMessage = 'ready' | { readonly failed: string | undefined }

/** Milliseconds a thread blocks for the other. */
const BLOCK_MAX = 10
/** Multiple of `pages` at which writers block for the checkpoint. */
const OVERSIZE_FACTOR = 4

export interface WalCheckpointsOptions {
  readonly path: string
  /** WAL pages that trigger a checkpoint. */
  readonly pages: number
  /** Called when the WAL could not be restarted. */
  readonly onFailure?: (error: Error) => void
}

/** The first write to a restarted WAL waits for the disk. Do it here, while nothing waits for this thread. */
const writeFirst = (database: DatabaseSync): void => {
  try {
    const { user_version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    database.exec(`PRAGMA user_version = ${user_version}`)
  } catch {
    // The first commit reports the error.
  }
}

/** Interrupts a copy in progress. False while the WAL is being restarted. */
const interrupt = (phase: Int32Array): boolean =>
  Atomics.compareExchange(phase, 0, PHASE.copying, PHASE.interrupted) !== PHASE.restarting

/** The worker thread, started on first use. */
const makeThread = (begin: WorkerOptions, onEnd: (failed: string | undefined) => void, onGone: () => void) => {
  let worker: Worker | undefined
  let isReady = false

  const onExit = (): void => {
    worker = undefined
    isReady = false
    onGone()
  }

  return {
    isReady: () => isReady,
    start: (): void => {
      if (worker !== undefined) return
      const started = new Worker(new URL('./wal-checkpoints-worker.ts', import.meta.url), { workerData: begin })
      worker = started
      started.unref()
      started.on('message', (told: WorkerMessage) => {
        if (told === 'ready') isReady = true
        else onEnd(told.failed)
      })
      started.on('error', onExit)
      started.on('exit', () => worker === started && onExit())
    },
    begin: () => worker?.postMessage('begin'),
    close: async () => {
      const closing = worker
      worker = undefined
      if (closing === undefined) return
      const closed = new Promise((resolve) => closing.once('exit', resolve))
      closing.ref()
      closing.postMessage('close')
      await closed
    },
  }
}

export const makeWalCheckpoints = (
  database: DatabaseSync,
  { path, pages, onFailure = () => undefined }: WalCheckpointsOptions,
): WalCheckpoints => {
  const phase = new Int32Array(new SharedArrayBuffer(4))
  const lengths = database.prepare('PRAGMA wal_checkpoint(NOOP)')
  database.exec('PRAGMA wal_autocheckpoint = 0')
  writeFirst(database)
  let isClosed = false
  let isTooLong = false
  let running: PromiseWithResolvers<void> | undefined

  const end = (failed?: string): void => {
    if (failed !== undefined) onFailure(new Error(failed))
    running?.resolve()
    running = undefined
  }

  /** Falls back to automatic checkpoints, which run in the commit that triggers them. */
  const giveUp = (): void => {
    isClosed = true
    Atomics.store(phase, 0, PHASE.idle)
    if (database.isOpen) database.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
    end()
  }

  const thread = makeThread({ path, phase }, end, giveUp)

  const beginWhenDue = (): void => {
    const { log, checkpointed } = lengths.get() as { log: number; checkpointed: number }
    isTooLong = log > OVERSIZE_FACTOR * pages
    if (log - checkpointed >= pages / 2) thread.start()
    if (!thread.isReady() || log - checkpointed < pages) return
    running = Promise.withResolvers()
    Atomics.store(phase, 0, PHASE.copying)
    thread.begin()
  }

  return {
    afterCommit: () => {
      if (running !== undefined || isClosed) return
      try {
        beginWhenDue()
      } catch {
        // The commit succeeded; the next one reports the error.
        giveUp()
      }
    },
    inProgress: () => running?.promise,
    mayWrite: () => {
      if (isTooLong) Atomics.wait(phase, 0, PHASE.copying, BLOCK_MAX)
      if (interrupt(phase)) return true
      Atomics.wait(phase, 0, PHASE.restarting, BLOCK_MAX)
      return interrupt(phase)
    },
    close: async () => {
      isClosed = true
      await running?.promise
      await thread.close()
    },
  }
}
