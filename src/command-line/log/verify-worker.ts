import { parentPort, workerData } from 'node:worker_threads'
import { makeJudge } from '../../audit/verify/judge.ts'
import { openLinks } from '../../event-store/sqlite/links.ts'
import type { Answer, Given } from './verify-thread.ts'

/** The worker thread of `verify`; see verify-thread.ts. */

const links = openLinks(String(workerData))
const judge = makeJudge(links)
const answer = (given: Answer): void => parentPort?.postMessage(given)

parentPort?.on('message', (given: Given) => {
  if (given !== undefined) {
    judge.take(given)
    answer(undefined)
    return
  }
  void judge.end().then((judged) => {
    answer(judged)
    links.close()
    parentPort?.close()
  })
})
