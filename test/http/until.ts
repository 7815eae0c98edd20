import { setTimeout as delay } from 'node:timers/promises'

/** Asks again and again until the answer is yes; throws when that takes longer than the milliseconds given. */
export const until = async (what: string, isSo: () => Promise<boolean>, within: number): Promise<void> => {
  const end = performance.now() + within
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${within} ms`)
    await delay(20)
  }
}
