import { parentPort, workerData } from 'node:worker_threads'
import { unpackRows } from '../file/packed-rows.ts'
import type { Progress } from '../file/progress.ts'
import { openViewsFile } from '../file/views-file.ts'
import { type Begin, COMMITTED_TOGETHER, type Given, type Written } from './write-beside.ts'

/** The thread that writes beside the one that folds: see write-beside.ts. */

const { path, projections, isAnew } = workerData as Begin
const file = openViewsFile(path, projections)
file.expectMany(isAnew)

let rows = 0
let progress: Progress | undefined

const commit = (): void => {
  if (progress === undefined) return
  file.commit([], progress)
  parentPort?.postMessage({ rows, upTo: progress.position } satisfies Written)
  rows = 0
  progress = undefined
}

parentPort?.on('message', (given: Given) => {
  if (given === undefined) {
    commit()
    file.finish()
    file.close()
    parentPort?.close()
    return
  }
  const staged = unpackRows(given.rows)
  file.stage(staged)
  rows += staged.length
  progress = given.progress
  if (rows >= COMMITTED_TOGETHER) commit()
})
