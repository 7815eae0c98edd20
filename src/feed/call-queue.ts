/** Calls per turn of the event loop: 0.1 to 0.2 ms. */
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
