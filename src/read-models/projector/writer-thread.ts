import { Worker } from 'node:worker_threads'
import { type PackedRows, packRows } from '../file/packed-rows.ts'
import type { Progress } from '../file/progress.ts'
import type { Shape } from '../file/schema.ts'
import type { Row } from '../tables/row.ts'

/** Rows that the other thread commits together: the more, the more of them share the pages that are written. */
export const COMMIT_ROWS = 4_096
/** Rows that may be on their way, so that one who folds faster than the other writes fills no memory. */
const ROWS_MAX = 3 * COMMIT_ROWS

/** What the other thread begins with. */
export interface WriterOptions {
  readonly path: string
  readonly projections: readonly Shape[]
  /** Whether all rows that there will be are still to come, but for a few. */
  readonly isRebuild: boolean
}

/** What it is given then: rows, with how far the log has been folded with them, and at the end nothing. */
export type WriteMessage = { readonly rows: PackedRows; readonly progress: Progress } | undefined

/** What it says when it has committed: how many rows, and up to which public position. */
export interface CommittedMessage {
  readonly rows: number
  readonly upTo: number
}

/** Commits rows in a thread of its own, on another core. */
export interface WriterThread {
  /** Hands over rows, with how far the log has been folded with them; resolves when there is room for more. */
  readonly send: (rows: readonly Row[], progress: Progress) => Promise<void>
  /** Whether the thread has ended by itself: what it committed before is in the file. */
  readonly hasFailed: () => boolean
  /** Resolves when all that was handed over has been committed, or the thread has failed, and the file is free. */
  readonly end: () => Promise<void>
}

/** @param onWritten told up to which public position rows have been committed */
export const startWriterThread = (begin: WriterOptions, onWritten: (upTo: number) => void): WriterThread => {
  const projections = begin.projections.map(({ name, version }) => ({ name, version }))
  const workerData: WriterOptions = { ...begin, projections }
  const worker = new Worker(new URL('./writer-thread-worker.ts', import.meta.url), { workerData })
  const ended = Promise.withResolvers<void>()
  let hasEnded = false
  let room = Promise.withResolvers<void>()
  let onTheirWay = 0
  worker.on('message', ({ rows, upTo }: CommittedMessage) => {
    onTheirWay -= rows
    room.resolve()
    onWritten(upTo)
  })
  // It is told of when its rows are written without it, and that fails too.
  worker.on('error', () => undefined)
  worker.on('exit', () => {
    hasEnded = true
    ended.resolve()
  })
  const send = (given: WriteMessage): void => worker.postMessage(given)
  return {
    send: async (rows, progress) => {
      send({ rows: packRows(rows), progress })
      onTheirWay += rows.length
      while (onTheirWay >= ROWS_MAX && !hasEnded) {
        room = Promise.withResolvers()
        await Promise.race([room.promise, ended.promise])
      }
    },
    hasFailed: () => hasEnded,
    end: () => {
      send(undefined)
      return ended.promise
    },
  }
}
