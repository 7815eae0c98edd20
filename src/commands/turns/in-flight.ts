import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type Failure, failure } from '../../domain/failure.ts'

/** Milliseconds a duplicate waits for the first request with its key. */
const WAIT_MAX = 5_000

/** Runs one request per idempotency key at a time. A duplicate then sees what the first has recorded. */
export interface InFlight {
  /**
   * `names` are all names of the request's key, under every vault key, current first. Waits for requests with any of
   * them.
   */
  readonly runExclusive: <F, A>(
    names: readonly string[],
    task: () => Promise<E.Either<F, A>>,
  ) => Promise<E.Either<F | Failure, A>>
}

export const makeInFlight = (): InFlight => {
  const inFlight = new Map<string, Promise<void>>()

  const findEarlier = (names: readonly string[]): Promise<void> | undefined => {
    for (const name of names) if (inFlight.has(name)) return inFlight.get(name)
    return undefined
  }

  /** Waits for the key and returns a function that frees it. Undefined on timeout. */
  const claim = async (names: readonly string[]): Promise<(() => void) | undefined> => {
    let first = findEarlier(names)
    // Aborting a signal creates an exception with a stack trace. In every create it would be a twentieth of the cost.
    const stop = first && new AbortController()
    const late = stop && delay(WAIT_MAX, 'late', { signal: stop.signal }).catch(() => 'stopped')
    for (; first !== undefined; first = findEarlier(names)) {
      if ((await Promise.race([first, late])) === 'late') return undefined
    }
    stop?.abort()
    // No await since the last check, so only one of the waiters continues.
    const end = Promise.withResolvers<void>()
    const own = names[0] as string
    inFlight.set(own, end.promise)
    return () => {
      inFlight.delete(own)
      end.resolve()
    }
  }

  return {
    runExclusive: async (names, task) => {
      const free = await claim(names)
      if (free === undefined) {
        return E.left(
          failure('idempotency_in_progress', 'The first request with this Idempotency-Key is still in progress.'),
        )
      }
      try {
        return await task()
      } finally {
        free()
      }
    },
  }
}
