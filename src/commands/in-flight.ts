import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type Failure, failure } from '../domain/failure.ts'

/** Milliseconds that a duplicate waits for the first request of its key. */
const WAIT_MAX = 5_000

/** One request of each retry key at a time; the next looks what the one before has recorded. */
export interface InFlight {
  readonly inTurn: <F, A>(key: string, task: () => Promise<E.Either<F, A>>) => Promise<E.Either<F | Failure, A>>
}

export const makeInFlight = (): InFlight => {
  const underWay = new Map<string, Promise<void>>()

  /** False when it takes too long. */
  const isFree = async (key: string): Promise<boolean> => {
    const stop = new AbortController()
    const late = delay(WAIT_MAX, 'late', { signal: stop.signal }).catch(() => 'stopped')
    try {
      for (let first = underWay.get(key); first !== undefined; first = underWay.get(key)) {
        if ((await Promise.race([first, late])) === 'late') return false
      }
      return true
    } finally {
      stop.abort()
    }
  }

  return {
    inTurn: async (key, task) => {
      if (underWay.has(key) && !(await isFree(key))) {
        return E.left(
          failure('idempotency_in_progress', 'The first request with this Idempotency-Key is still under way.'),
        )
      }
      const end = Promise.withResolvers<void>()
      underWay.set(key, end.promise)
      try {
        return await task()
      } finally {
        underWay.delete(key)
        end.resolve()
      }
    },
  }
}
