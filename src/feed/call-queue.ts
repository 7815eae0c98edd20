/** Calls per turn of the event loop: 0.1 to 0.3 ms each where readers are written to. */
const SLICE = 16

/** Spreads many calls over several turns of the event loop, so that other work is not delayed until all have run. */
export const makeCallQueue = () => {
  let queue: (() => void)[] = []
  let next = 0
  const turn = (): void => {
    for (const end = Math.min(next + SLICE, queue.length); next < end; next++) (queue[next] as () => void)()
    if (next < queue.length) setImmediate(turn)
    else {
      queue = []
      next = 0
    }
  }
  return (calls: Iterable<() => void>): void => {
    const isResting = queue.length === 0
    for (const call of calls) queue.push(call)
    if (isResting && queue.length > 0) setImmediate(turn)
  }
}

/** Resolves in a later turn of the event loop, for a few of those who wait at once. */
export type Pace = () => Promise<void>

/** Lets those who wait together continue a few at a time. `setImmediate` alone would let all continue in one turn. */
export const makePace = (): Pace => {
  const callSoon = makeCallQueue()
  return () => new Promise((resolve) => callSoon([resolve]))
}

/** Callbacks that wait until there is more; each is called once. */
export const makeWaiting = () => {
  const callSoon = makeCallQueue()
  let waiting = new Set<() => void>()
  return {
    add: (call: () => void): void => void waiting.add(call),
    forget: (call: () => void): void => void waiting.delete(call),
    wake: (): void => {
      const calls = waiting
      waiting = new Set()
      callSoon(calls)
    },
  }
}
