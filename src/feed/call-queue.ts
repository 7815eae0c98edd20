/** How many are called in one turn of the event loop: a tenth of a millisecond or two. */
const SLICE = 16

/** Calls many, a few in every turn, so that what comes in meanwhile is not kept waiting until all have been called. */
export interface CallQueue {
  readonly add: (calls: Iterable<() => void>) => void
}

export const makeCallQueue = (): CallQueue => {
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
  return {
    add: (calls) => {
      const isResting = queue.length === 0
      for (const call of calls) queue.push(call)
      if (isResting && queue.length > 0) setImmediate(turn)
    },
  }
}
