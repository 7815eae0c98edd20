import type * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import { makeTurns } from '../concurrency/turns.ts'
import { type Failure, refuse } from '../domain/failure.ts'

/** How long a duplicate waits for the first request with its key. */
const WAIT_TIMEOUT_MS = 5_000

/**
 * Makes the function that runs one request per idempotency key at a time. A duplicate then sees what the first has
 * recorded.
 */
export const makeRunExclusive = () => {
  const turns = makeTurns()
  /** @param names all names of the request's key, under every vault key: it waits for requests with any of them */
  return async <F, A>(
    names: readonly string[],
    task: () => Promise<E.Either<F, A>>,
  ): Promise<E.Either<F | Failure, A>> => {
    const deadline = performance.now() + WAIT_TIMEOUT_MS
    const acquired: string[] = []
    try {
      // In one order, so that no two requests wait for each other.
      for (const name of names.toSorted()) {
        const turn = turns.acquire(name, { timeoutMs: deadline - performance.now() })
        if (turn !== undefined && !(await turn))
          return refuse('idempotency_in_progress', 'The first request with this Idempotency-Key is still in progress.')
        acquired.push(name)
      }
      return await task()
    } finally {
      for (const name of acquired) turns.release(name)
    }
  }
}

/** Milliseconds for which an instance keeps a stream busy, and for which it then leaves it to the others. */
const [BUSY_MAX_MS, PAUSE_MS] = [200, 25]
/** Streams remembered. A forgotten one begins to be busy anew. */
const STREAMS_MAX = 1_024

/**
 * Shares busy streams with other instances. An instance that appends command after command, without reading in between,
 * would always be faster than one that must read first, and lock it out.
 *
 * @returns the milliseconds to leave a stream to the others after a command that began at some time
 * @param now monotonic milliseconds
 */
export const makePauses = (now: () => number = () => performance.now()) => {
  const streams = new LRUCache<string, { readonly busySince: number; readonly freeSince: number }>({ max: STREAMS_MAX })
  return (stream: string, began: number): number => {
    const use = streams.get(stream)
    const busySince = use !== undefined && began - use.freeSince < PAUSE_MS ? use.busySince : began
    const freeSince = now()
    if (freeSince - busySince < BUSY_MAX_MS) {
      streams.set(stream, { busySince, freeSince })
      return 0
    }
    streams.delete(stream)
    return PAUSE_MS
  }
}
