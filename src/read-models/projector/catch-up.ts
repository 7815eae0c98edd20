import { availableParallelism } from 'node:os'
import { BEFORE_FIRST } from '../../domain/values/position.ts'
import type { Batch } from '../../event-store/event-store.ts'
import type { Progress } from '../file/progress.ts'
import type { ViewsFile } from '../file/views-file.ts'
import type { Pending } from './pending.ts'
import { SNAPSHOTS_WAITING_MAX, type Writer } from './write-behind.ts'
import { startWriterThread, type WriterOptions, type WriterThread } from './writer-thread.ts'

/**
 * Events to catch up with before a writer thread is started. With fewer, starting and compiling it costs more than it
 * saves; on one core it never pays.
 */
const WRITER_THREAD_FROM = availableParallelism() > 1 ? 100_000 : Number.POSITIVE_INFINITY
/** Rows handed over at a time: few, so that the writer thread gets its first rows early and then always has some. */
const CHUNK = 512

export interface CatchUpLimits {
  /** Events to catch up with before a writer thread is started. */
  readonly writerThreadFrom?: number
}

/** The state cache of commands. */
export interface States {
  readonly fold: (events: Batch['events']) => void
  readonly saveTo: (snapshots: { readonly keep: Writer['keepSnapshot'] }, most: number) => void
}

interface CatchUpOptions extends Omit<WriterOptions, 'isRebuild'>, CatchUpLimits {
  readonly file: ViewsFile
  readonly pending: Pending
  readonly writer: Writer
  readonly progress: () => Progress
  /** Folds states until the views have caught up: after a rebuild there are no snapshots. */
  readonly states?: States | undefined
}

export type CatchUp = ReturnType<typeof makeCatchUp>

/** Writes the rows of a long log in a writer thread, until the views have caught up for the first time. */
export const makeCatchUp = (options: CatchUpOptions) => {
  const { path, projections, file, pending, writer, progress, states, writerThreadFrom = WRITER_THREAD_FROM } = options
  let writerThread: WriterThread | undefined
  let events = 0
  let mayBegin = true
  let isFinished = true
  const isRebuild = progress().position === BEFORE_FIRST
  let folding = states

  const finish = (): void => {
    // A bulk load cannot be finished inside a transaction.
    if (isFinished || (file.isStaging() && !writer.commitAll())) return
    try {
      file.finishBulkLoad()
      isFinished = true
    } catch {
      // Every batch and `end` retry. If they fail too, the next start rebuilds the file.
    }
  }

  /** Waits until the writer thread, if any, has written everything. */
  const end = async (): Promise<void> => {
    if (writerThread !== undefined) {
      await writerThread.end()
      writerThread = undefined
      // If the thread failed, this thread writes what is left.
      pending.written(file.progress()?.position ?? BEFORE_FIRST)
    }
    finish()
  }

  const begin = (): void => {
    mayBegin = false
    if (!writer.commitAll()) return
    isFinished = false
    writerThread = startWriterThread({ path, projections, isRebuild }, pending.written)
  }

  return {
    /** Called after each folded batch until the views have caught up. */
    take: async (batch: Batch): Promise<void> => {
      events += batch.events.length
      folding?.fold(batch.events)
      if (batch.caughtUp) {
        folding?.saveTo({ keep: writer.keepSnapshot }, SNAPSHOTS_WAITING_MAX)
        folding = undefined
      }
      if (mayBegin && events + (batch.ahead ?? 0) >= writerThreadFrom && !batch.caughtUp) begin()
      if (writerThread === undefined) return finish()
      if (pending.unstaged() >= CHUNK || batch.caughtUp) await writerThread.send(pending.takeUnstaged(), progress())
      if (batch.caughtUp || writerThread.hasFailed()) await end()
    },
    /** While the writer thread runs, nobody else may write, and lists do not show everything folded. */
    hasWriterThread: (): boolean => writerThread !== undefined,
    /** Whether the file has its indexes, and nobody else writes it. */
    isFileUsable: (): boolean => writerThread === undefined && isFinished,
    end,
  }
}
