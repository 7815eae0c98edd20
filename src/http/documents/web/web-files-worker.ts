import { parentPort } from 'node:worker_threads'
import { buildWebFiles } from './build-web-files.ts'

/** Builds the files of the page, and ends: see web-files.ts. */

parentPort?.postMessage(buildWebFiles())
