/** The worker thread that reads lists; see list-reader.ts. */

import { workerData } from 'node:worker_threads'
import { answerCalls } from '../concurrency/answer-calls.ts'
import { openViewsFile } from './file/views-file.ts'
import { makeListRead, type ReaderThread } from './list-reader.ts'

const file = openViewsFile(workerData as string, { readOnly: true })
const readList = makeListRead(file)

/** Reads within one read transaction. */
const read: ReaderThread['read'] = (name, args) => {
  file.pin()
  try {
    return readList(name, args as never) as never
  } finally {
    file.unpin()
  }
}

answerCalls({ read } satisfies ReaderThread)
