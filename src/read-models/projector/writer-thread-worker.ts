import { parentPort, workerData } from 'node:worker_threads'
import type { Progress } from '../file/progress.ts'
import { openViewsFile } from '../file/views-file.ts'
import { COMMIT_ROWS, type CommittedMessage, type WriteMessage, type WriterOptions } from './writer-thread.ts'

/** The worker side of writer-thread.ts. */

const { path, projections, isRebuild } = workerData as WriterOptions
const file = openViewsFile(path, projections)
file.beginBulkLoad(isRebuild)

let rows = 0
let progress: Progress | undefined

const commit = (): void => {
  if (progress === undefined) return
  file.commit([], progress)
  parentPort?.postMessage({ rows, upTo: progress.position } satisfies CommittedMessage)
  rows = 0
  progress = undefined
}

parentPort?.on('message', (given: WriteMessage) => {
  if (given === undefined) {
    commit()
    file.finishBulkLoad()
    file.close()
    parentPort?.close()
    return
  }
  file.stage(given.rows)
  rows += given.rows.length
  progress = given.progress
  if (rows >= COMMIT_ROWS) commit()
})
