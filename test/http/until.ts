import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** What a poll counts at most, in milliseconds: while the machine is busy, the awaited may not have run either. */
export const POLL_MAX = 200

/** Milliseconds between looks at the time, and what one look counts in full. */
const [LOOK_EVERY, LOOK_MAX] = [10, 50]
/** Part of the time between two looks that counts at least, so that a service which holds the thread is noticed. */
const COUNTED_MIN = 1 / 5

/** Milliseconds that the first thread of a process was ready and had no core. Only Linux counts them. */
const waitedForCore = (pid: number | 'self'): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/**
 * Begins to measure. The function ends it and returns the milliseconds since, without those in which the process waited
 * for a core. Those in which this process had no turn for another reason, such as another test, count a fifth.
 *
 * @param pid another process whose work is measured
 */
export const stopwatch = (pid: number | 'self' = 'self'): (() => number) => {
  let [counted, lookedAt, waited] = [0, performance.now(), waitedForCore(pid)]
  const look = (): void => {
    const [now, waitedNow] = [performance.now(), waitedForCore(pid)]
    const passed = Math.max(0, now - lookedAt - Math.max(0, waitedNow - waited))
    counted += Math.max(Math.min(passed, LOOK_MAX), passed * COUNTED_MIN)
    lookedAt = now
    waited = waitedNow
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
