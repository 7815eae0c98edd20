import { setTimeout as delay } from 'node:timers/promises'

/** What a poll counts at most, in milliseconds: while the machine is busy, the awaited may not have run either. */
export const POLL_MAX = 200

/** Milliseconds between looks at the time, and what one look counts in full. */
const [LOOK_EVERY, LOOK_MAX] = [10, 50]
/** Part of the time between two looks that counts at least, so that a service which holds the thread is noticed. */
const COUNTED_MIN = 1 / 5

/**
 * Begins to measure. The function ends it and returns the milliseconds since. Those in which the machine or another test
 * gave the process no turn count a fifth.
 */
export const stopwatch = (): (() => number) => {
  let [counted, lookedAt] = [0, performance.now()]
  const look = (): void => {
    const now = performance.now()
    counted += Math.max(Math.min(now - lookedAt, LOOK_MAX), (now - lookedAt) * COUNTED_MIN)
    lookedAt = now
  }
  const looking = setInterval(look, LOOK_EVERY).unref()
  return () => {
    look()
    clearInterval(looking)
    return counted
  }
}

/** Polls until a condition holds. Throws after the given milliseconds, or as many more as the polls took longer. */
export const until = async (what: string, holds: () => Promise<boolean>, within: number): Promise<void> => {
  for (let left = within; left > 0; ) {
    const begun = performance.now()
    if (await holds()) return
    await delay(20)
    left -= Math.min(performance.now() - begun, POLL_MAX)
  }
  if (!(await holds())) throw new Error(`${what}: not within ${within} ms`)
}
