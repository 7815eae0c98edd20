import { setTimeout as delay } from 'node:timers/promises'

/** What a poll counts at most, in milliseconds: while the machine is busy, the awaited may not have run either. */
const POLL_MAX = 200

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
