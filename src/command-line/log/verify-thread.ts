import type { Judge, Judged } from '../../audit/verify/judge.ts'
import { openThread, ThreadEnded } from '../../concurrency/thread.ts'
import { UnusableLog } from '../../event-store/event-store.ts'

/** Pages that may wait, to bound memory if reading is faster than checking. */
const PAGES_MAX = 64

/**
 * Checks events against the rules in a worker thread, while this thread reads and hashes them.
 *
 * @param path of an embedded log, whose links are compared with the events
 */
export const startJudgeThread = (path: string): Judge & { readonly close: () => Promise<void> } => {
  const thread = openThread<Judge>({
    module: new URL('./verify-worker.ts', import.meta.url),
    start: { workerData: path },
    callsMax: PAGES_MAX,
    errors: [UnusableLog],
  })
  let failure: unknown
  const fail = (error: unknown): void => {
    failure ??= error instanceof ThreadEnded ? (error.cause ?? error) : error
  }
  return {
    take: (page) => {
      thread.call('take', [page]).catch(fail)
      return thread.room()
    },
    end: async (): Promise<Judged> => {
      const judged = await thread.call('end', []).catch(fail)
      if (failure !== undefined || judged === undefined) throw failure
      return judged
    },
    close: thread.close,
  }
}
