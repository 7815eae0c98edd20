import { setTimeout as delay } from 'node:timers/promises'
import { within } from '../concurrency/waits.ts'

/** How long a request waits for what other instances have recorded. */
const CATCH_UP_TIMEOUT_MS = 2_000

/** Reads what other instances have recorded until now. Never rejects: it may come too late, or not at all. */
export type CatchUpUsers = () => Promise<void>

/** Where no other instance records anything. */
export const NOTHING_TO_CATCH_UP: CatchUpUsers = async () => undefined

/**
 * Callers share a reading that has not begun yet.
 *
 * @param every milliseconds between the beginnings of two readings
 */
export const makeCatchUpUsers = (
  read: () => Promise<unknown>,
  every = 0,
  timeoutMs = CATCH_UP_TIMEOUT_MS,
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
    // If it fails, the users that are known stay in use, and who follows them reports the failure.
    const settled = next.then(
      () => undefined,
      () => undefined,
    )
    return within(timeoutMs, settled, undefined)
  }
}
