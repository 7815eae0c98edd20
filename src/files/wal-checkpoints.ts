import type { DatabaseSync } from 'node:sqlite'
import { openThread, ThreadEnded } from '../concurrency/thread.ts'
import { prepare, readRow } from './sqlite.ts'
import {
  type CheckpointThread,
  PHASE,
  runScript,
  truncateWal,
  type WalWorkerOptions,
  type WorkerTask,
  writeFirst,
} from './wal-checkpoints-thread.ts'

/**
 * WAL checkpoints of a SQLite database in a worker thread, including the restart of the WAL. Both wait for the disk,
 * which may stall. The writing connection must have automatic checkpoints disabled.
 */
export interface WalCheckpoints {
  /** Call after each commit. Starts a checkpoint if the WAL has grown enough. */
  readonly afterCommit: () => void
  /**
   * Call when the disk is full. The next commit shows that there is room again: it starts a checkpoint, however short
   * the WAL is, so that later commits reuse the WAL instead of filling the disk once more.
   */
  readonly afterFull: () => void
  /**
   * Resolves when the running checkpoint ends; undefined if none is running. Writers that can wait should wait for it.
   */
  readonly inProgress: () => Promise<unknown> | undefined
  /**
   * For writers that cannot wait: whether they may write now. The WAL is then not restarted this time. Blocks for some
   * milliseconds while the WAL is being restarted or is too large.
   */
  readonly mayWrite: () => boolean
  /** Runs a script in the thread, while nobody else may write. False if it could not run: try again. */
  readonly run: (script: string) => Promise<boolean>
  /**
   * Empties the WAL, so that it contains no earlier version of a page. False if another connection reads: try again.
   */
  readonly truncate: () => Promise<boolean>
  /** Waits for the running checkpoint. */
  readonly close: () => Promise<void>
}

/** How long a thread blocks for the other. */
const BLOCK_TIMEOUT_MS = 10
/** Multiple of `pages` at which writers block for the checkpoint. */
const OVERSIZE_FACTOR = 4

interface WalCheckpointsOptions {
  readonly path: string
  /** WAL pages that trigger a checkpoint. */
  readonly pages: number
  /** Called when the WAL could not be restarted. */
  readonly onFailure?: (error: Error) => void
}

/** Whether the WAL needs a checkpoint, now or soon. */
const makeCheckpointPolicy = (database: DatabaseSync, pages: number) => {
  const lengths = prepare<{ log: number; checkpointed: number }>(database, 'PRAGMA wal_checkpoint(NOOP)')
  let isTooLong = false
  let wasFull = false
  return {
    isTooLong: () => isTooLong,
    read: () => {
      const { log, checkpointed } = readRow(lengths)
      const uncopied = log - checkpointed
      isTooLong = log > OVERSIZE_FACTOR * pages
      return { isNearlyDue: wasFull || uncopied >= pages / 2, isDue: wasFull || uncopied >= pages }
    },
    afterFull: (): void => {
      wasFull = true
    },
    begun: (): void => {
      wasFull = false
    },
  }
}

/** Interrupts a copy in progress. False while the WAL is being restarted. */
const interrupt = (phase: Int32Array): boolean =>
  Atomics.compareExchange(phase, 0, PHASE.copying, PHASE.interrupted) !== PHASE.restarting

/** Runs one task at a time in the thread, which is started on first use and never replaced. */
const makeTasks = (
  { path, onFailure = () => undefined }: WalCheckpointsOptions,
  phase: Int32Array,
  onGone: () => void,
) => {
  let isEnded = false
  let isReady = false
  /** Resolves to whether the task was done. */
  let running: Promise<boolean> | undefined

  const giveUp = (): void => {
    isEnded = true
    isReady = false
    Atomics.store(phase, 0, PHASE.idle)
    onGone()
  }

  const thread = openThread<CheckpointThread>({
    module: new URL('./wal-checkpoints-worker.ts', import.meta.url),
    start: { workerData: { path, phase } satisfies WalWorkerOptions },
    callsMax: 1,
    onEnded: giveUp,
  })

  let starting: Promise<void> | undefined
  /** Starts the thread. Resolves when it is ready, or has ended. */
  const start = (): Promise<void> => {
    starting ??= thread.call('open', []).then(
      () => {
        isReady = !isEnded
      },
      () => undefined,
    )
    return starting
  }

  const runInThread = async (task: WorkerTask): Promise<boolean> => {
    try {
      return await thread.call('run', [task])
    } catch (error) {
      if (!(error instanceof ThreadEnded)) onFailure(new Error((error as Error).message))
      return false
    } finally {
      running = undefined
    }
  }

  const begin = (task: WorkerTask, during: number): Promise<boolean> => {
    Atomics.store(phase, 0, during)
    running = runInThread(task)
    return running
  }

  return {
    start,
    begin,
    giveUp,
    isReady: () => isReady,
    running: () => running,
    isEnded: () => isEnded,
    /** Runs a task while nobody else may write: in the thread, or `here` if it has ended. */
    runAlone: async (task: WorkerTask, here: () => boolean): Promise<boolean> => {
      if (!isEnded) await start()
      while (running !== undefined) await running
      return isEnded ? here() : begin(task, PHASE.restarting)
    },
    close: async () => {
      isEnded = true
      await running
      await thread.close()
    },
  }
}

export const makeWalCheckpoints = (database: DatabaseSync, options: WalCheckpointsOptions): WalCheckpoints => {
  const { pages } = options
  const phase = new Int32Array(new SharedArrayBuffer(4))
  const policy = makeCheckpointPolicy(database, pages)
  database.exec('PRAGMA wal_autocheckpoint = 0')
  try {
    // Here, while nothing waits for this thread.
    writeFirst(database)
  } catch {
    // The first commit reports the error.
  }

  const tasks = makeTasks(options, phase, () => {
    // Falls back to automatic checkpoints, which run in the commit that triggers them.
    if (database.isOpen) database.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
  })

  const beginWhenDue = (): void => {
    const { isNearlyDue, isDue } = policy.read()
    if (isNearlyDue) void tasks.start()
    if (!isDue || !tasks.isReady()) return
    policy.begun()
    void tasks.begin('checkpoint', PHASE.copying)
  }

  return {
    afterCommit: () => {
      if (tasks.running() !== undefined || tasks.isEnded()) return
      try {
        beginWhenDue()
      } catch {
        // The commit succeeded; the next one reports the error.
        tasks.giveUp()
      }
    },
    inProgress: tasks.running,
    afterFull: () => {
      policy.afterFull()
      if (!tasks.isEnded()) void tasks.start()
    },
    mayWrite: () => {
      if (policy.isTooLong()) Atomics.wait(phase, 0, PHASE.copying, BLOCK_TIMEOUT_MS)
      if (interrupt(phase)) return true
      Atomics.wait(phase, 0, PHASE.restarting, BLOCK_TIMEOUT_MS)
      return interrupt(phase)
    },
    run: (script) => tasks.runAlone({ script }, () => runScript(database, script)),
    truncate: () => tasks.runAlone('truncate', () => truncateWal(database)),
    close: tasks.close,
  }
}
