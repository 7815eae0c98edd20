import { LRUCache } from 'lru-cache'

const MINUTE_MS = 60_000

/** Attempts under one key within a minute. */
interface Count {
  /** The beginning of the minute: the first failure, or an earlier attempt. */
  readonly since: number
  readonly failed: number
  /** Attempts refused unchecked for lack of capacity. */
  readonly refused: number
  readonly inFlight: number
}

/** A clock that goes back ends the minute rather than extending it. */
const isOver = ({ since }: Count, now: number): boolean => now < since || now >= since + MINUTE_MS

const isIdle = (count: Count, now: number): boolean => count.inFlight === 0 && isOver(count, now)

/** How an attempt ended. `refused`: it was not checked. */
export type AttemptOutcome = 'passed' | 'failed' | 'refused'

/** Counts attempts by key. */
export interface FailureCounts {
  /** Seconds until fewer than `max` failures lie within a minute. */
  readonly waitOf: (key: string, max: number, now: number) => number
  /** Attempts within the minute, checked or not. */
  readonly tried: (key: string, now: number) => number
  readonly begin: (key: string, now: number) => void
  readonly end: (key: string, how: AttemptOutcome, now: number) => void
  readonly size: () => number
}

/** Beyond `max` keys, the count that changed least recently is dropped. */
export const makeFailureCounts = (max: number): FailureCounts => {
  // Not `max`, which would allocate room for all of them now.
  const counts = new LRUCache<string, Count>({ maxSize: max, sizeCalculation: () => 1 })

  /** Stores a count, and removes expired ones that changed before all others. */
  const set = (key: string, count: Count, now: number): void => {
    counts.set(key, count)
    for (const oldest of counts.rkeys()) {
      if (!isIdle(counts.peek(oldest) as Count, now)) break
      counts.delete(oldest)
    }
  }

  /** The current count. An expired one keeps only attempts in flight. */
  const current = (key: string, now: number): Count => {
    const count = counts.peek(key)
    if (count === undefined) return { since: now, failed: 0, refused: 0, inFlight: 0 }
    return isOver(count, now) ? { since: now, failed: 0, refused: 0, inFlight: count.inFlight } : count
  }

  return {
    waitOf: (key, max, now) => {
      const { since, failed, inFlight } = current(key, now)
      if (failed >= max) return Math.ceil((since + MINUTE_MS - now) / 1000)
      return failed + inFlight >= max ? 1 : 0
    },
    tried: (key, now) => {
      const { failed, refused, inFlight } = current(key, now)
      return failed + refused + inFlight
    },
    begin: (key, now) => {
      const count = current(key, now)
      set(key, { ...count, inFlight: count.inFlight + 1 }, now)
    },
    end: (key, how, now) => {
      // An attempt evicted while in flight still counts.
      const count = current(key, now)
      const ended = { ...count, inFlight: Math.max(0, count.inFlight - 1) }
      if (how === 'failed') {
        const since = count.failed === 0 ? now : count.since
        set(key, { ...ended, since, failed: count.failed + 1 }, now)
      } else if (how === 'refused') set(key, { ...ended, refused: count.refused + 1 }, now)
      else if (ended.failed + ended.refused + ended.inFlight === 0) counts.delete(key)
      else set(key, ended, now)
    },
    size: () => counts.size,
  }
}
