import { setTimeout as delay } from 'node:timers/promises'

/** How long a request waits for what other instances have recorded. */
const CATCH_UP_TIMEOUT_MS = 2_000

/** Reads what other instances have recorded until now. Never rejects: it may come too late, or not at all. */
export type CatchUpUsers = () => Promise<void>

/** Where no other instance records anything. */
export const NOTHING_TO_CATCH_UP: CatchUpUsers = async () => undefined

/** Waits until work is done, has failed or takes too long. */
const waitFor = async (work: Promise<unknown>, within: number): Promise<void> => {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, within)
  try {
    await Promise.race([work, over.promise])
  } catch {
    // The users that are known stay in use, and who follows them reports the failure.
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Callers share a reading that has not begun yet.
 *
 * @param every milliseconds between the beginnings of two readings
 */
export const makeCatchUpUsers = (
  read: () => Promise<unknown>,
  every = 0,
  within = CATCH_UP_TIMEOUT_MS,
): CatchUpUsers => {
  let mayReadAt = Number.NEGATIVE_INFINITY
  let next: Promise<unknown> | undefined
  const readNext = async (): Promise<unknown> => {
    await delay(Math.max(0, mayReadAt - performance.now()))
    next = undefined
    mayReadAt = performance.now() + every
    return read()
  }
  return () => {
    next ??= readNext()
    return waitFor(next, within)
  }
}
