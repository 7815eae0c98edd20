/** Calls per turn of the event loop: 0.1 to 0.3 ms each where readers are written to. */
const SLICE = 16

/**
 * Spreads many calls over several turns of the event loop, so that other work is not delayed until all have run. What
 * still waits is not called twice.
 */
export const makeCallQueue = () => {
  const queue = new Set<() => void>()
  let isScheduled = false
  const schedule = (): void => {
    if (!isScheduled && queue.size > 0) setImmediate(turn)
    isScheduled = queue.size > 0
  }
  const turn = (): void => {
    let left = SLICE
    for (const call of queue) {
      if (left-- === 0) break
      queue.delete(call)
      call()
    }
    isScheduled = false
    schedule()
  }
  return (calls: Iterable<() => void>): void => {
    for (const call of calls) queue.add(call)
    schedule()
  }
}

/** Resolves in a later turn of the event loop, for a few of those who wait at once. */
export type Pace = () => Promise<void>

/** Lets those who wait together continue a few at a time. `setImmediate` alone would let all continue in one turn. */
export const makePace = (): Pace => {
  const callSoon = makeCallQueue()
  return () => new Promise((resolve) => callSoon([resolve]))
}

/** A wake-up signal. One without a waiter is kept for the next. */
export const makeWakeUpSignal = () => {
  let signalled = Promise.withResolvers<void>()
  return {
    signal: (): void => signalled.resolve(),
    wait: async (): Promise<void> => {
      await signalled.promise
      signalled = Promise.withResolvers()
    },
  }
}

/** Calls whenever there may be more, until the function that it returns is called. */
export type Follow = (onChange: () => void) => () => void
