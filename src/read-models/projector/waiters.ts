interface Waiter<P> {
  readonly position: P
  readonly resolve: (reached: boolean) => void
}

/** Waits for positions to be folded. */
export interface Waiters<P> {
  /** False if `within` milliseconds pass first. */
  readonly wait: (position: P, within: number) => Promise<boolean>
  /** Wakes everyone whose position has been reached. */
  readonly wake: (reached: P) => void
  /** Ends all waits with false. */
  readonly cancelAll: () => void
}

export const makeWaiters = <P extends number>(): Waiters<P> => {
  let waiters: Waiter<P>[] = []
  return {
    wait: (position, within) =>
      new Promise((resolve) => {
        const late = setTimeout(() => {
          waiters = waiters.filter((other) => other !== waiter)
          resolve(false)
        }, within)
        const waiter: Waiter<P> = {
          position,
          resolve: (reached) => {
            clearTimeout(late)
            resolve(reached)
          },
        }
        waiters.push(waiter)
      }),
    wake: (reached) => {
      const waiting = waiters
      if (waiting.length === 0) return
      waiters = waiting.filter(({ position }) => position > reached)
      for (const waiter of waiting) if (waiter.position <= reached) waiter.resolve(true)
    },
    cancelAll: () => {
      for (const { resolve } of waiters.splice(0)) resolve(false)
    },
  }
}
