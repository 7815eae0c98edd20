import type { DatabaseSync } from 'node:sqlite'
import { openThread, ThreadEnded } from '../concurrency/thread.ts'
import { prepare, readRow, SQLITE, sqliteCode } from './sqlite.ts'

/** What the thread does. Each returns whether it was done; false if the database is locked, in use or full. */
export interface CheckpointThread {
  /** Returns once the file is open. */
  readonly open: () => void
  readonly checkpoint: () => boolean
  readonly truncate: () => boolean
  readonly run: (script: string) => boolean
}

const RETRIABLE: readonly (number | undefined)[] = [SQLITE.busy, SQLITE.full]

/** For what may succeed when it is tried again. */
const falseIfBusyOrFull = (work: () => boolean): boolean => {
  try {
    return work()
  } catch (error) {
    if (RETRIABLE.includes(sqliteCode(error))) return false
    throw error
  }
}

/**
 * A statement that changes nothing. The first write after a complete checkpoint restarts the WAL and waits for its header
 * to be synced.
 */
export const emptyWrite = (database: DatabaseSync): string => {
  const { user_version } = readRow(prepare<{ user_version: number }>(database, 'PRAGMA user_version'))
  return `PRAGMA user_version = ${user_version}`
}

/** Copies the whole WAL into the file and empties it. */
export const truncateWal = (database: DatabaseSync): boolean =>
  falseIfBusyOrFull(() => database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0)

/** Runs a script that contains or ends a transaction. If it returns false, nothing has changed. */
export const runScript = (database: DatabaseSync, script: string): boolean =>
  falseIfBusyOrFull(() => {
    try {
      database.exec(script)
      return true
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK')
    }
  })

/** Multiple of `pages` at which a writer that does not wait is slowed, so that the thread can copy all and restart. */
const OVERSIZE_FACTOR = 4
const SLOWED_MS = 10
const asleep = new Int32Array(new SharedArrayBuffer(4))

interface WalCheckpointsOptions {
  readonly path: string
  /** WAL pages that trigger a checkpoint. */
  readonly pages: number
  /** Called when the disk has failed in the thread. */
  readonly onFailure?: (error: Error) => void
}

/** One task at a time in the thread, which is started on first use, and again after it has ended by itself. */
const openTasks = ({ path, onFailure = () => undefined }: WalCheckpointsOptions) => {
  let isReady = false
  let starting: Promise<void> | undefined
  /** Resolves to whether it was done. */
  let running: Promise<boolean> | undefined

  const thread = openThread<CheckpointThread>({
    module: new URL('./wal-checkpoints-worker.ts', import.meta.url),
    start: { workerData: path },
    callsMax: 1,
    isReplaced: true,
    onEnded: () => {
      isReady = false
      starting = undefined
    },
  })

  /** Resolves when the thread is ready, or has ended. */
  const start = (): Promise<void> => {
    starting ??= thread.call('open', []).then(
      () => {
        isReady = true
      },
      () => undefined,
    )
    return starting
  }

  const begin = (task: () => Promise<boolean>): Promise<boolean> => {
    const failed = (error: unknown): boolean => {
      if (!(error instanceof ThreadEnded)) onFailure(error as Error)
      return false
    }
    running = task()
      .catch(failed)
      .finally(() => {
        running = undefined
      })
    return running
  }

  return {
    start,
    begin,
    isReady: () => isReady && running === undefined,
    running: () => running,
    /** Does something when nothing else is done. */
    inTurn: async (task: () => Promise<boolean>): Promise<boolean> => {
      await start()
      while (running !== undefined) await running
      return begin(task)
    },
    call: thread.call,
    close: async (): Promise<void> => {
      await running
      await thread.close()
    },
  }
}

export type WalCheckpoints = ReturnType<typeof makeWalCheckpoints>

/**
 * WAL checkpoints of a SQLite database in a worker thread, including the restart of the WAL. Both wait for the disk,
 * which may stall. The connection is the one that writes.
 */
export const makeWalCheckpoints = (database: DatabaseSync, options: WalCheckpointsOptions) => {
  const { pages } = options
  const { start, begin, isReady, running, inTurn, call, close } = openTasks(options)
  const lengths = prepare<{ log: number; checkpointed: number }>(database, 'PRAGMA wal_checkpoint(NOOP)')
  let wasFull = false
  database.exec('PRAGMA wal_autocheckpoint = 0')
  try {
    // Here, while nothing waits for this thread.
    database.exec(emptyWrite(database))
  } catch {
    // The first commit reports the error.
  }

  return {
    /** Call after each commit. Starts a checkpoint if the WAL has grown enough. */
    afterCommit: (): void => {
      try {
        const { log, checkpointed } = readRow(lengths)
        const uncopied = log - checkpointed
        if (running() !== undefined && log > OVERSIZE_FACTOR * pages) Atomics.wait(asleep, 0, 0, SLOWED_MS)
        if (wasFull || uncopied >= pages / 2) void start()
        if (!isReady() || !(wasFull || uncopied >= pages)) return
        wasFull = false
        void begin(() => call('checkpoint', []))
      } catch {
        // The commit succeeded; the next one reports the error.
      }
    },
    /**
     * Call when the disk is full. The next commit shows that there is room again: it starts a checkpoint, however short
     * the WAL is, so that later commits reuse the WAL instead of filling the disk once more.
     */
    afterFull: (): void => {
      wasFull = true
      void start()
    },
    /**
     * Resolves when what the thread does has ended; undefined if it does nothing. Writers that can wait should wait for
     * it. Others may find the database busy, and keep the WAL from being restarted this time.
     */
    inProgress: running,
    /** Runs a script in the thread. False if it could not run: try again. */
    run: (script: string) => inTurn(() => call('run', [script])),
    /** Empties the WAL, so that it contains no earlier version of a page. False if another connection reads: try again. */
    truncate: () => inTurn(() => call('truncate', [])),
    /** Waits for the running checkpoint. */
    close,
  }
}
