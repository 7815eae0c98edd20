import { openThread } from '../../concurrency/thread.ts'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Progress } from '../file/progress.ts'
import type { Shape } from '../file/schema.ts'
import type { Row } from '../tables/version.ts'

/** Rows per commit of the writer thread. More rows share more of the pages written. */
export const COMMIT_ROWS = 4_096
/** Parcels of rows in flight, each of 511 rows and those of one batch of events at most. Bounds memory. */
const WAITING_MAX = 12

/** The writer thread's start data. */
export interface WriterOptions {
  readonly path: string
  readonly projections: readonly Shape[]
  /** Whether nearly all rows of the file are still to come. */
  readonly isRebuild: boolean
}

export interface WriterCalls {
  /** Returns the public position up to which rows have been committed, if that has changed. */
  readonly write: (rows: readonly Row[], progress: Progress) => PublicPosition | undefined
}

export type WriterThread = ReturnType<typeof startWriterThread>

/**
 * Commits rows in a worker thread, on another core.
 *
 * @param onWritten called with the public position up to which rows have been committed
 */
export const startWriterThread = (begin: WriterOptions, onWritten: (upTo: PublicPosition) => void) => {
  const projections = begin.projections.map(({ name, version }) => ({ name, version }))
  const workerData: WriterOptions = { ...begin, projections }
  const thread = openThread<WriterCalls>({
    module: new URL('./writer-thread-worker.ts', import.meta.url),
    start: { workerData },
    callsMax: WAITING_MAX,
  })
  let hasFailed = false
  const fail = (): void => {
    // The caller then writes the rest, and reports its own failures.
    hasFailed = true
    void thread.terminate()
  }
  return {
    /** Hands over rows with the progress they bring; resolves when there is room for more. */
    send: async (rows: readonly Row[], progress: Progress): Promise<void> => {
      const written = thread.call('write', [rows, progress])
      written.then((upTo) => upTo !== undefined && onWritten(upTo), fail)
      await thread.room()
    },
    /** Whether the thread has ended by itself. What it committed is in the file. */
    hasFailed: (): boolean => hasFailed,
    /** Resolves when everything has been committed or the thread has failed, and the file is free. */
    end: (): Promise<void> => (hasFailed ? thread.terminate() : thread.close()),
  }
}
