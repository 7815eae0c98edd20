import { workerData } from 'node:worker_threads'
import { answerCalls } from '../../concurrency/answer-calls.ts'
import type { Progress } from '../file/progress.ts'
import { openViewsFile } from '../file/views-file.ts'
import { COMMIT_ROWS, type WriterCalls, type WriterOptions } from './writer-thread.ts'

/** The worker side of writer-thread.ts. */

const { path, projections, isRebuild } = workerData as WriterOptions
const file = openViewsFile(path, projections)
file.beginBulkLoad(isRebuild)

let staged = 0
let progress: Progress | undefined

const commit = (): void => {
  if (progress !== undefined) file.commit([], progress)
  staged = 0
  progress = undefined
}

const write: WriterCalls['write'] = (rows, reached) => {
  file.stage(rows)
  staged += rows.length
  progress = reached
  if (staged < COMMIT_ROWS) return undefined
  commit()
  return reached.position
}

answerCalls({ write } satisfies WriterCalls, {
  close: () => {
    commit()
    file.finishBulkLoad()
    file.close()
  },
  // What follows rows that could not be written may not be written either.
  isFatal: true,
})
