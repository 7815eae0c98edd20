import type { DatabaseSync } from 'node:sqlite'
import { openThread, ThreadEnded } from '../concurrency/thread.ts'
import { prepare, readRow, SQLITE, sqliteCode } from './sqlite.ts'

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
   * Resolves when what the thread does has ended; undefined if it does nothing. Writers that can wait should wait for
   * it. Others may find the database busy, and keep the WAL from being restarted this time.
   */
  readonly inProgress: () => Promise<unknown> | undefined
  /** Runs a script in the thread. False if it could not run: try again. */
  readonly run: (script: string) => Promise<boolean>
  /**
   * Empties the WAL, so that it contains no earlier version of a page. False if another connection reads: try again.
   */
  readonly truncate: () => Promise<boolean>
  /** Waits for the running checkpoint. */
  readonly close: () => Promise<void>
}

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

/** One task at a time in the thread, which is started on first use and never replaced. */
const openTasks = (
  { path, onFailure = () => undefined }: WalCheckpointsOptions,
  database: DatabaseSync,
  onGone: () => void,
) => {
  let isEnded = false
  let isReady = false
  /** Resolves to whether it was done. */
  let running: Promise<boolean> | undefined
  let starting: Promise<void> | undefined

  const giveUp = (): void => {
    isEnded = true
    onGone()
  }

  const thread = openThread<CheckpointThread>({
    module: new URL('./wal-checkpoints-worker.ts', import.meta.url),
    start: { workerData: path },
    callsMax: 1,
    onEnded: giveUp,
  })

  /** Resolves when the thread is ready, or has ended. */
  const start = async (): Promise<void> => {
    const ready = (): void => {
      isReady = !isEnded
    }
    if (!isEnded) starting ??= thread.call('open', []).then(ready, ready)
    await starting
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

  /** Does something when nothing else is done: in the thread, or here if it has ended. */
  const inTurn = async (there: () => Promise<boolean>, here: () => boolean): Promise<boolean> => {
    await start()
    while (running !== undefined) await running
    return isEnded ? here() : begin(there)
  }

  return {
    start,
    giveUp,
    isReady: () => isReady && running === undefined,
    isEnded: () => isEnded,
    running: () => running,
    checkpoint: () => begin(() => thread.call('checkpoint', [])),
    run: (script: string) =>
      inTurn(
        () => thread.call('run', [script]),
        () => runScript(database, script),
      ),
    truncate: () =>
      inTurn(
        () => thread.call('truncate', []),
        () => truncateWal(database),
      ),
    close: async (): Promise<void> => {
      isEnded = true
      await running
      await thread.close()
    },
  }
}

export const makeWalCheckpoints = (database: DatabaseSync, options: WalCheckpointsOptions): WalCheckpoints => {
  const { pages } = options
  const lengths = prepare<{ log: number; checkpointed: number }>(database, 'PRAGMA wal_checkpoint(NOOP)')
  let wasFull = false
  database.exec('PRAGMA wal_autocheckpoint = 0')
  try {
    // Here, while nothing waits for this thread.
    database.exec(emptyWrite(database))
  } catch {
    // The first commit reports the error.
  }

  const tasks = openTasks(options, database, () => {
    // Falls back to automatic checkpoints, which run in the commit that triggers them.
    if (database.isOpen) database.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
  })

  const beginWhenDue = (): void => {
    const { log, checkpointed } = readRow(lengths)
    const uncopied = log - checkpointed
    if (tasks.running() !== undefined && log > OVERSIZE_FACTOR * pages) Atomics.wait(asleep, 0, 0, SLOWED_MS)
    if (wasFull || uncopied >= pages / 2) void tasks.start()
    if (!tasks.isReady() || !(wasFull || uncopied >= pages)) return
    wasFull = false
    void tasks.checkpoint()
  }

  return {
    afterCommit: () => {
      if (tasks.isEnded()) return
      try {
        beginWhenDue()
      } catch {
        // The commit succeeded; the next one reports the error.
        tasks.giveUp()
      }
    },
    inProgress: tasks.running,
    afterFull: () => {
      wasFull = true
      void tasks.start()
    },
    run: tasks.run,
    truncate: tasks.truncate,
    close: tasks.close,
  }
}
