import { parentPort, workerData } from 'node:worker_threads'
import { unpackRows } from './packed-rows.ts'
import { openViewsFile } from './views-file.ts'
import type { Begin, Given } from './write-beside.ts'

/** The thread that writes beside the one that folds: see write-beside.ts. */

const { path, projections } = workerData as Begin
const file = openViewsFile(path, projections, { forMany: true })

parentPort?.on('message', (given: Given) => {
  if (given === undefined) {
    file.close()
    parentPort?.close()
    return
  }
  file.stage(unpackRows(given.rows))
  file.commit([], given.progress)
  parentPort?.postMessage(given.progress.position)
})
