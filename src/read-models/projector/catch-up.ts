import { availableParallelism } from 'node:os'
import type { Batch } from '../../event-store/event-store.ts'
import type { Progress } from '../file/progress.ts'
import type { ViewsFile } from '../file/views-file.ts'
import type { Pending } from './pending.ts'
import { SNAPSHOTS_WAITING_MAX, type Writer } from './write-behind.ts'
import { startWriterThread, type WriterOptions, type WriterThread } from './writer-thread.ts'

/**
 * Events, folded or known to follow, for which another thread is asked to write: starting and compiling it costs more than
 * fewer gain by it, and where there is one core it never pays.
 */
const WRITER_THREAD_FROM = availableParallelism() > 1 ? 100_000 : Number.POSITIVE_INFINITY
/** Rows handed over at a time: so few that the other thread has the first ones soon, and always some to go on with. */
const CHUNK = 512

export interface CatchUpLimits {
  /** Events for which another thread is asked to write. */
  readonly writerThreadFrom?: number
}

/** The states that commands are decided on. */
export interface States {
  readonly fold: (events: Batch['events']) => void
  readonly handOver: (snapshots: { readonly keep: Writer['keepSnapshot'] }, most: number) => void
}

interface CatchUpOptions extends Omit<WriterOptions, 'isRebuild'>, CatchUpLimits {
  readonly file: ViewsFile
  readonly pending: Pending
  readonly writer: Writer
  readonly progress: () => Progress
  /** What folds states until views have caught up: where rows are made anew the snapshots went with the old ones. */
  readonly states?: States | undefined
}

/** Has a long log's rows written in another thread, until views have caught up with it for the first time. */
export interface CatchUp {
  /** Called when a batch has been folded, until one has caught up. */
  readonly take: (batch: Batch) => Promise<void>
  /** While another thread writes, nobody else may, and lists do not show everything that has been folded. */
  readonly hasWriterThread: () => boolean
  /** Waits until another thread, if one was asked, has written what it was given. */
  readonly end: () => Promise<void>
}

export const makeCatchUp = (options: CatchUpOptions): CatchUp => {
  const { path, projections, file, pending, writer, progress, states, writerThreadFrom = WRITER_THREAD_FROM } = options
  let beside: WriterThread | undefined
  let events = 0
  let mayBegin = true
  let isFinished = true
  const isRebuild = progress().position === -1
  let folding = states

  const finish = (): void => {
    // Nothing can be finished inside a transaction.
    if (isFinished || (file.isStaging() && !writer.commitAll())) return
    try {
      file.finishBulkLoad()
      isFinished = true
    } catch {
      // It is tried again with every batch and at the end; where that fails too, the next start makes the file anew.
    }
  }

  const end = async (): Promise<void> => {
    if (beside !== undefined) {
      await beside.end()
      beside = undefined
      // Where it has failed, what it was given after that is written here.
      pending.written(file.progress()?.position ?? -1)
    }
    finish()
  }

  const begin = (): void => {
    mayBegin = false
    if (!writer.commitAll()) return
    isFinished = false
    beside = startWriterThread({ path, projections, isRebuild }, pending.written)
  }

  return {
    take: async (batch) => {
      events += batch.events.length
      folding?.fold(batch.events)
      if (batch.caughtUp) {
        folding?.handOver({ keep: writer.keepSnapshot }, SNAPSHOTS_WAITING_MAX)
        folding = undefined
      }
      if (mayBegin && events + (batch.ahead ?? 0) >= writerThreadFrom && !batch.caughtUp) begin()
      if (beside === undefined) return finish()
      if (pending.unstaged() >= CHUNK || batch.caughtUp) await beside.send(pending.takeUnstaged(), progress())
      if (batch.caughtUp || beside.hasFailed()) await end()
    },
    hasWriterThread: () => beside !== undefined,
    end,
  }
}
