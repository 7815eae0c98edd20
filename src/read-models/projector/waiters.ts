interface Waiter {
  readonly mark: number
  readonly resolve: (reached: boolean) => void
}

/** Those who wait until a place in the log has been folded. */
export interface Waiters {
  /** False when the milliseconds have passed first. */
  readonly wait: (mark: number, within: number) => Promise<boolean>
  /** Wakes everyone whose mark has been reached. */
  readonly wake: (reached: number) => void
  /** Tells everyone that it will not be soon. */
  readonly rejectAll: () => void
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
    rejectAll: () => {
      for (const { resolve } of waiters.splice(0)) resolve(false)
    },
  }
}
