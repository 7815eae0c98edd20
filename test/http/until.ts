import { setTimeout as delay } from 'node:timers/promises'

/** Polls until a condition holds. Throws after the given milliseconds. */
export const until = async (what: string, holds: () => Promise<boolean>, within: number): Promise<void> => {
  const end = performance.now() + within
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${within} ms`)
    await delay(20)
  }
}
