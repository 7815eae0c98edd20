import type { Logged } from '../../domain/event.ts'
import type { StorePosition } from '../../domain/values/position.ts'

export type Tail = ReturnType<typeof makeTail>

/**
 * The tail buffer: the newest events of the log, shared by all live subscribers, each with its own position. A
 * subscriber that falls behind the oldest event reads from the file until it has caught up.
 *
 * @param keep minimum number of events kept; at most twice as many are
 * @param pollEvery milliseconds after which `changed` resolves regardless, if another process publishes
 */
export const makeTail = (keep: number, pollEvery: number | undefined) => {
  const events: Logged[] = []
  const waiting = new Set<() => void>()
  let isOver = false
  const wake = (): void => {
    for (const resume of [...waiting]) resume()
  }
  return {
    /** Adds committed events and wakes all waiters. */
    publish: (committed: readonly Logged[]): void => {
      for (const event of committed) events.push(event)
      if (events.length > 2 * keep) events.splice(0, events.length - keep)
      wake()
    },
    /** At most `count` events after a position; undefined if some of them are only in the file. */
    after: (storePosition: StorePosition, count: number): readonly Logged[] | undefined => {
      const first = events[0]
      if (first === undefined || storePosition < first.storePosition - 1) return undefined
      const start = storePosition + 1 - first.storePosition
      return events.slice(start, start + count)
    },
    /** Resolves when events were published, the signal is aborted or the tail has ended. */
    changed: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (isOver || signal.aborted) return resolve()
        const resume = (): void => {
          waiting.delete(resume)
          signal.removeEventListener('abort', resume)
          clearTimeout(timer)
          resolve()
        }
        const timer = pollEvery === undefined ? undefined : setTimeout(resume, pollEvery)
        waiting.add(resume)
        signal.addEventListener('abort', resume)
      }),
    end: (): void => {
      isOver = true
      wake()
    },
    hasEnded: (): boolean => isOver,
  }
}
