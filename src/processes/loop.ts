import { setTimeout as delay } from 'node:timers/promises'

/** Something that the clock triggers. */
export interface Timed {
  /** Does what is due. Called again once it has resolved: at once if it was time meanwhile. */
  readonly tick: () => unknown
  /** What the log says if that fails. The next look tries again. */
  readonly failure: string
}

interface LoopOptions {
  /** Resolves when it is time to look at the clock again. */
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly log: { readonly error: (facts: object, sentence: string) => void }
}

/** Resolves after so many milliseconds, or when the signal aborts. */
export const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)

/** Resolves at the next whole second, when reservations begin and end. @param clock Unix milliseconds */
export const untilNextSecond =
  (clock: () => number): LoopOptions['wake'] =>
  (signal) =>
    pauseFor(1_000 - (clock() % 1_000), signal)

/**
 * Looks at the clock once a second, and lets each part do what is due, until the signal aborts and all have resolved. One
 * that waits, as for the store, holds up no other.
 */
export const runLoop = async (parts: readonly Timed[], { wake, signal, log }: LoopOptions): Promise<void> => {
  const ticks = parts.map(({ tick, failure }) => {
    let [isAgain, running] = [false, undefined as Promise<void> | undefined]
    const act = async (): Promise<void> => {
      do {
        isAgain = false
        await Promise.try(tick).catch((error: unknown) => log.error({ err: error }, failure))
      } while (isAgain && !signal.aborted)
      running = undefined
    }
    return () => {
      isAgain = true
      running ??= act()
      return running
    }
  })
  let running: readonly Promise<unknown>[] = []
  while (!signal.aborted) {
    await wake(signal)
    if (!signal.aborted) running = ticks.map((tick) => tick())
  }
  await Promise.all(running)
}
