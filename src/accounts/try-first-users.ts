import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { makeFirstUsers } from './first-users.ts'

const RETRY_DELAY_MS = 1_000

interface TryOptions {
  readonly make: () => ReturnType<typeof makeFirstUsers>
  /** Whether the service starts all the same if the store cannot be read or written, and this is tried again. */
  readonly mayWait: boolean
  /** Called if there cannot be any, after the start. */
  readonly onRefused: (problems: readonly string[]) => void
  readonly onFatal: (error: unknown) => void
}

/** Undefined if the store is unavailable. */
const attempt = async ({ make }: TryOptions): Promise<Awaited<ReturnType<typeof makeFirstUsers>> | undefined> => {
  try {
    return await make()
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}

const repeat = async (options: TryOptions, signal: AbortSignal): Promise<void> => {
  for (;;) {
    await delay(RETRY_DELAY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    const made = await attempt(options)
    if (made === undefined) continue
    if (E.isLeft(made)) options.onRefused(made.left)
    return
  }
}

/** Makes the first users, after the start if the store is unavailable until then. `stop` ends that. */
export const tryFirstUsers = async (options: TryOptions) => {
  const made = options.mayWait ? await attempt(options) : await options.make()
  const stop = new AbortController()
  if (made === undefined) void repeat(options, stop.signal).catch(options.onFatal)
  return { made: made ?? E.right(undefined), stop: () => stop.abort() }
}
