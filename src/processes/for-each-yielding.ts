import { setImmediate as turn } from 'node:timers/promises'

/** Items that are looked at in one turn of the event loop: some of them parse documents, 40 us each. */
const BATCH_SIZE = 100

/**
 * Calls for each item, with a turn of the event loop after every hundred, so that thousands hold no request up. Ends when
 * the signal aborts.
 */
export const forEachYielding = async <A>(
  items: Iterable<A>,
  each: (item: A) => unknown,
  signal?: AbortSignal,
): Promise<void> => {
  let left = BATCH_SIZE
  for (const item of items) {
    if (left-- === 0) {
      await turn()
      if (signal?.aborted) return
      left = BATCH_SIZE - 1
    }
    each(item)
  }
}
