interface Waiter {
  readonly mark: number
  readonly resolve: (reached: boolean) => void
}

/** Waits for positions to be folded. */
export interface Waiters {
  /** False if `within` milliseconds pass first. */
  readonly wait: (mark: number, within: number) => Promise<boolean>
  /** Wakes everyone whose position has been reached. */
  readonly wake: (reached: number) => void
  /** Ends all waits with false. */
  readonly cancelAll: () => void
}

export const makeWaiters = (): Waiters => {
  let waiters: Waiter[] = []
  return {
    wait: (mark, within) =>
      new Promise((resolve) => {
        const late = setTimeout(() => {
          waiters = waiters.filter((other) => other !== waiter)
          resolve(false)
        }, within)
        const waiter: Waiter = {
          mark,
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
      waiters = waiting.filter(({ mark }) => mark > reached)
      for (const waiter of waiting) if (waiter.mark <= reached) waiter.resolve(true)
    },
    cancelAll: () => {
      for (const { resolve } of waiters.splice(0)) resolve(false)
    },
  }
}
