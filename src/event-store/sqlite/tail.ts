import type { Logged } from '../../domain/event.ts'

/**
 * The newest events of the log, in memory, for every live subscriber at once: each only keeps its place. One that has
 * fallen behind the oldest of them reads on in the file until it is back.
 */
export interface Tail {
  /** Takes events that have just been committed, and wakes whoever waits for them. */
  readonly publish: (events: readonly Logged[]) => void
  /** At most `count` events behind a mark, or undefined if some of those are only in the file. */
  readonly after: (mark: number, count: number) => readonly Logged[] | undefined
  /** Resolves when something has been published, the signal is aborted or the tail has ended. */
  readonly changed: (signal: AbortSignal) => Promise<void>
  readonly end: () => void
  readonly hasEnded: () => boolean
}

/**
 * @param keep how many events are kept at least; at most twice as many are
 * @param pollEvery milliseconds after which `changed` resolves in any case, where another process publishes
 */
export const makeTail = (keep: number, pollEvery: number | undefined): Tail => {
  const events: Logged[] = []
  const waiting = new Set<() => void>()
  let ended = false
  const wake = (): void => {
    for (const resume of [...waiting]) resume()
  }
  return {
    publish: (committed) => {
      for (const event of committed) events.push(event)
      if (events.length > 2 * keep) events.splice(0, events.length - keep)
      wake()
    },
    after: (mark, count) => {
      const first = events[0]
      if (first === undefined || mark < first.mark - 1) return undefined
      const start = mark + 1 - first.mark
      return events.slice(start, start + count)
    },
    changed: (signal) =>
      new Promise((resolve) => {
        if (ended || signal.aborted) return resolve()
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
    end: () => {
      ended = true
      wake()
    },
    hasEnded: () => ended,
  }
}
