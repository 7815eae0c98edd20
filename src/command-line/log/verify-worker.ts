import { workerData } from 'node:worker_threads'
import { makeJudge } from '../../audit/verify/judge.ts'
import { answerCalls } from '../../concurrency/answer-calls.ts'
import { openLinks } from '../../event-store/sqlite/log-links.ts'

/** The worker thread of `verify`; see verify-thread.ts. */

const links = openLinks(String(workerData))
answerCalls(makeJudge(links), { close: links.close, isFatal: true })
