import * as E from 'fp-ts/lib/Either.js'
import { TooManyCalls } from '../../concurrency/calls.ts'
import { openThread, ThreadEnded } from '../../concurrency/thread.ts'
import { type Failure, refuse } from '../../domain/failure.ts'
import type { findSeriesWindows, SeriesQuery, SeriesWindows } from '../../domain/series/windows.ts'

export interface SeriesWindowsThread {
  readonly find: typeof findSeriesWindows
}

/** Rules that may wait for the thread; more are refused. */
const WAITING_MAX = 256

/** Finds the windows of rules in a thread, which starts with the first: a rule can take a second. */
export const openSeriesWindows = () => {
  const thread = openThread<SeriesWindowsThread>({
    module: new URL('./windows-worker.ts', import.meta.url),
    start: { name: 'series windows' },
    callsMax: WAITING_MAX,
    isReplaced: true,
  })
  return {
    find: async (query: SeriesQuery): Promise<E.Either<Failure, SeriesWindows>> => {
      try {
        return E.right(await thread.call('find', [query]))
      } catch (error) {
        if (!(error instanceof TooManyCalls || error instanceof ThreadEnded)) throw error
        return refuse('unavailable', 'Too many series are being worked out. Try again.')
      }
    },
    close: thread.terminate,
  }
}
