import * as E from 'fp-ts/lib/Either.js'
import { TooManyCalls } from '../../concurrency/calls.ts'
import { openThread, ThreadEnded } from '../../concurrency/thread.ts'
import { type Failure, failure } from '../../domain/failure.ts'
import type { findOccurrences, OccurrenceQuery, Occurrences } from '../../domain/series/occurrences.ts'

export interface OccurrencesThread {
  readonly find: typeof findOccurrences
}

/** Rules that may wait for the thread; more are refused. */
const WAITING_MAX = 256

/** Finds the occurrences of rules in a thread, which starts with the first: a rule can take a second. */
export interface OccurrenceFinder {
  readonly find: (query: OccurrenceQuery) => Promise<E.Either<Failure, Occurrences>>
  readonly close: () => Promise<void>
}

export const openOccurrences = (): OccurrenceFinder => {
  const thread = openThread<OccurrencesThread>({
    module: new URL('./occurrences-worker.ts', import.meta.url),
    start: { name: 'occurrences' },
    callsMax: WAITING_MAX,
    isReplaced: true,
  })
  return {
    find: async (query) => {
      try {
        return E.right(await thread.call('find', [query]))
      } catch (error) {
        if (!(error instanceof TooManyCalls || error instanceof ThreadEnded)) throw error
        return E.left(failure('unavailable', 'Too many series are being worked out. Try again.'))
      }
    },
    close: thread.terminate,
  }
}
