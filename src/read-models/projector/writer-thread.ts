import { Worker } from 'node:worker_threads'
import type { PublicPosition } from '../../domain/values/position.ts'
import type { Progress } from '../file/progress.ts'
import type { Shape } from '../file/schema.ts'
import type { Row } from '../tables/row.ts'

/** Rows per commit of the writer thread. More rows share more of the pages written. */
export const COMMIT_ROWS = 4_096
/** Rows in flight: bounds memory if folding is faster than writing. */
const ROWS_MAX = 3 * COMMIT_ROWS

/** The writer thread's start data. */
export interface WriterOptions {
  readonly path: string
  readonly projections: readonly Shape[]
  /** Whether nearly all rows of the file are still to come. */
  readonly isRebuild: boolean
}

/** Rows and the progress they bring, or undefined at the end. */
export type WriteMessage = { readonly rows: readonly Row[]; readonly progress: Progress } | undefined

/** Reports a commit: how many rows, and up to which public position. */
export interface CommittedMessage {
  readonly rows: number
  readonly upTo: PublicPosition
}

/** Commits rows in a worker thread, on another core. */
export interface WriterThread {
  /** Hands over rows with the progress they bring; resolves when there is room for more. */
  readonly send: (rows: readonly Row[], progress: Progress) => Promise<void>
  /** Whether the thread has ended by itself. What it committed is in the file. */
  readonly hasFailed: () => boolean
  /** Resolves when everything has been committed or the thread has failed, and the file is free. */
  readonly end: () => Promise<void>
}

/** @param onWritten called with the public position up to which rows have been committed */
export const startWriterThread = (begin: WriterOptions, onWritten: (upTo: PublicPosition) => void): WriterThread => {
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
  // Ignored: this thread then writes the rest, and reports its own failures.
  worker.on('error', () => undefined)
  worker.on('exit', () => {
    hasEnded = true
    ended.resolve()
  })
  const send = (given: WriteMessage): void => worker.postMessage(given)
  return {
    send: async (rows, progress) => {
      send({ rows, progress })
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
