import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

/**
 * Puts the journal (WAL) of a SQLite database into its file in another thread, and starts the journal anew: both wait for
 * the disk, which may stall. The connection that writes must have no checkpoints of its own.
 */
export interface WalCheckpoints {
  /** Called after each commit: begins one where the journal has grown enough. */
  readonly afterCommit: () => void
  /** Resolves when the one under way has ended; undefined when none is. Whoever can waits for it before writing. */
  readonly inProgress: () => Promise<void> | undefined
  /**
   * Whether whoever cannot wait may write all the same. The journal is then not started anew this time; while it is being
   * started anew, or has grown too long, the one under way is waited for, for some milliseconds.
   */
  readonly mayWrite: () => boolean
  /** Waits for the one under way. */
  readonly close: () => Promise<void>
}

/** What is done to the journal, as both threads see it. */
export const PHASE = {
  idle: 0,
  /** Its pages are copied: others may write, which then has to be found out. */
  copying: 1,
  /** Somebody has written meanwhile. */
  interrupted: 2,
  /** It is started anew: nobody else may write. */
  restarting: 3,
} as const

/** What the thread begins with. */
export interface WorkerOptions {
  readonly path: string
  readonly phase: Int32Array
}

/** `ready` when it has opened the file; then the end of each checkpoint, with what went wrong in starting anew. */
export type WorkerMessage = 'ready' | { readonly failed: string | undefined }

/** Milliseconds for which a thread stands still for another. */
const BLOCK_MAX = 10
/** Times its limit to which a journal may grow before it is stood still for. */
const OVERSIZE_FACTOR = 4

export interface WalCheckpointsOptions {
  readonly path: string
  /** Pages after which a journal is put into the file. */
  readonly pages: number
  /** Told when the journal could not be written. */
  readonly onFailure?: (error: Error) => void
}

/** Who writes first to a journal that was started anew waits for the disk: here, while nobody waits for this thread. */
const writeFirst = (database: DatabaseSync): void => {
  try {
    const { user_version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    database.exec(`PRAGMA user_version = ${user_version}`)
  } catch {
    // The first commit finds out what is wrong.
  }
}

/** Whether what is being copied, if anything, may be overtaken; the thread then finds that it has been. */
const interrupt = (phase: Int32Array): boolean =>
  Atomics.compareExchange(phase, 0, PHASE.copying, PHASE.interrupted) !== PHASE.restarting

/** The thread; it is started when it is first needed. */
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

  /** Without the thread, each checkpoint is of the commit that makes it due. */
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
        // What was committed is; the next commit finds out what is wrong.
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
