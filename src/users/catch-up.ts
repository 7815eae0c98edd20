import { setTimeout as delay } from 'node:timers/promises'
import { within } from '../concurrency/waits.ts'

/** How long a request waits for what other instances have recorded. */
const CATCH_UP_TIMEOUT_MS = 2_000

/** Reads what other instances have recorded until now. Never rejects: it may come too late, or not at all. */
export type CatchUpUsers = () => Promise<void>

/** Where no other instance records anything. */
export const NOTHING_TO_CATCH_UP: CatchUpUsers = async () => undefined

/**
 * One reading at a time. Callers get one that begins after they ask, and share it.
 *
 * @param every milliseconds between the beginnings of two readings
 */
export const makeSharedReading = (read: () => Promise<unknown>, every = 0): (() => Promise<void>) => {
  let mayReadAt = Number.NEGATIVE_INFINITY
  let reading: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  const readNext = async (): Promise<void> => {
    await reading.catch(() => undefined)
    const wait = mayReadAt - performance.now()
    if (wait > 0) await delay(wait)
    next = undefined
    mayReadAt = performance.now() + every
    reading = read()
    await reading
  }
  return () => {
    next ??= readNext()
    return next
  }
}

/** @param every as above */
export const makeCatchUpUsers = (
  read: () => Promise<unknown>,
  every = 0,
  timeoutMs = CATCH_UP_TIMEOUT_MS,
): CatchUpUsers => {
  const readShared = makeSharedReading(read, every)
  // If it fails, the users that are known stay in use, and who follows them reports the failure.
  return () =>
    within(
      timeoutMs,
      readShared().catch(() => undefined),
      undefined,
    )
}
