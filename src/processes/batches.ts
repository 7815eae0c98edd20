import { setTimeout as delay } from 'node:timers/promises'

/**
 * Commands in a batch, and milliseconds between batches. Ten thousand reservations can begin in the same second:
 * recording them all at once would hold up every request for a second. With larger batches or shorter pauses, requests
 * take more than twice as long meanwhile.
 */
const BATCH_SIZE = 25
const BATCH_DELAY_MS = 10

/** In random order, several instances on one log share the work: each finds most records already made. */
export const shuffled = <A>(items: readonly A[]): readonly A[] =>
  items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)

/** Calls `one` for each item, in batches. */
export type RunBatches = <A>(items: readonly A[], one: (item: A) => Promise<void>) => Promise<void>

/** Begins no further batch once the signal aborts. */
export const makeRunBatches =
  (signal: AbortSignal): RunBatches =>
  async (items, one) => {
    for (let n = 0; n < items.length; n += BATCH_SIZE) {
      if (n > 0) await delay(BATCH_DELAY_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      await Promise.all(items.slice(n, n + BATCH_SIZE).map(one))
    }
  }
