import type { FairQueueLimits } from './fair-queue.ts'

/**
 * Times refusals so that their delay does not reveal whether a password was checked. Depends on the duration and number
 * of recent checks, never on whether a name exists.
 */
export interface RefusalTiming {
  /** Records the duration of a check, in milliseconds. */
  readonly record: (milliseconds: number) => void
  /** Whether the recent checks are too old to be representative. */
  readonly isStale: () => boolean
  /** The time, in milliseconds, at which to refuse an attempt that arrives now. */
  readonly nextRefusal: () => number
}

/** Maximum number and age (milliseconds) of recorded checks. */
const SAMPLES_MAX = 32
const SAMPLE_LIFETIME = 60_000
/** Milliseconds after which a check no longer reflects the machine's load. */
const STALE_AFTER = 5_000
/** Multiple of the longest recent check. */
const MARGIN = 1.25
/** Minimum assumed duration of a check, in milliseconds. */
const CHECK_MIN = 10

/**
 * @param limits limits of the queue for actual checks
 * @param now monotonic milliseconds
 */
export const makeRefusalTiming = ({ runningMax, rest, waitMax }: FairQueueLimits, now: () => number): RefusalTiming => {
  let checks: { readonly at: number; readonly milliseconds: number }[] = []
  /** When each slot would be free if every attempt were checked. */
  const places = Array.from({ length: runningMax }, () => Number.NEGATIVE_INFINITY)

  const estimateCheck = (): number => Math.max(CHECK_MIN, ...checks.map(({ milliseconds }) => milliseconds * MARGIN))

  return {
    record: (milliseconds) => {
      const at = now()
      checks = [...checks.filter((check) => at - check.at < SAMPLE_LIFETIME), { at, milliseconds }].slice(-SAMPLES_MAX)
    },
    isStale: () => now() - (checks.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= STALE_AFTER,
    nextRefusal: () => {
      const began = now()
      const check = estimateCheck()
      const first = places.indexOf(Math.min(...places))
      const start = Math.min(Math.max(began, places[first] as number), began + waitMax)
      places[first] = start + check * (1 + rest)
      return start + check
    },
  }
}
