/** Calls that wait for something about an object. */
export const makeWaits = () => {
  const waiting = new Map<string, Set<(isOver: boolean) => void>>()
  let isEnded = false
  let count = 0
  /** Checks whether waits for an object are over; `isOver` ends them in any case. */
  const recheck = (id: string, isOver = false): void => {
    for (const each of waiting.get(id) ?? []) each(isOver)
  }
  return {
    count: () => count,
    recheck,
    /**
     * Resolves when it is done, when `recheck` says that it is over, when `signal` aborts, or after `within`
     * milliseconds: with whether these are over.
     */
    until: (id: string, isDone: () => boolean, within: number, signal?: AbortSignal): Promise<boolean> =>
      new Promise((resolve) => {
        if (isEnded || signal?.aborted || isDone()) return resolve(false)
        const waits = waiting.get(id) ?? new Set()
        const settle = (isLate: boolean): void => {
          clearTimeout(late)
          signal?.removeEventListener('abort', leave)
          waits.delete(settleIf)
          count--
          if (waits.size === 0) waiting.delete(id)
          resolve(isLate)
        }
        const settleIf = (isOver: boolean): void => {
          if (isOver || isDone()) settle(false)
        }
        const leave = (): void => settle(false)
        const late = setTimeout(settle, within, true)
        signal?.addEventListener('abort', leave)
        waiting.set(id, waits.add(settleIf))
        count++
      }),
    /** Ends all waits, and lets nothing wait again. */
    end: (): void => {
      isEnded = true
      for (const id of [...waiting.keys()]) recheck(id, true)
    },
  }
}

/** What work resolves to, or `otherwise` after so many milliseconds. */
export const within = async <A, B>(milliseconds: number, work: Promise<A>, otherwise: B): Promise<A | B> => {
  const late = Promise.withResolvers<B>()
  const timer = setTimeout(late.resolve, milliseconds, otherwise)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
