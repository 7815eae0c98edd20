import type { FairQueueLimits } from './fair-queue.ts'

/** Milliseconds for which somebody waited for a check, and CPU time of it. */
interface TimedCheck {
  readonly took: number
  readonly cpu: number
}

/** Maximum number and age (milliseconds) of recorded checks. */
const SAMPLES_MAX = 32
const SAMPLE_LIFETIME_MS = 60_000
/** A check this old no longer reflects the machine's load. */
const STALE_AGE_MS = 5_000
/** Multiple of the longest recent check. */
const MARGIN = 1.25
/** Minimum assumed duration of a check. */
const CHECK_TIME_MIN_MS = 10

/**
 * Times refusals so that their delay does not reveal whether a password was checked. Depends on the duration and number
 * of recent checks, never on whether a name exists.
 *
 * @param limits limits of the queue for actual checks
 * @param now monotonic milliseconds
 */
export const makeRefusalTiming = ({ runningMax, rest, waitMax }: FairQueueLimits, now: () => number) => {
  let checks: (TimedCheck & { readonly at: number })[] = []
  /** When each slot would be free if every attempt were checked. */
  const places = Array.from({ length: runningMax }, () => Number.NEGATIVE_INFINITY)

  const estimate = (what: keyof TimedCheck): number =>
    Math.max(CHECK_TIME_MIN_MS, ...checks.map((check) => check[what] * MARGIN))

  return {
    record: (check: TimedCheck): void => {
      const at = now()
      checks = [...checks.filter((old) => at - old.at < SAMPLE_LIFETIME_MS), { ...check, at }].slice(-SAMPLES_MAX)
    },
    /** Whether the recent checks are too old to be representative. */
    isStale: (): boolean => now() - (checks.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= STALE_AGE_MS,
    /** The time, in milliseconds, at which to refuse an attempt that arrives now. */
    nextRefusal: (): number => {
      const began = now()
      const took = estimate('took')
      const first = places.indexOf(Math.min(...places))
      const start = Math.min(Math.max(began, places[first] as number), began + waitMax)
      places[first] = start + took + rest * estimate('cpu')
      return start + took
    },
  }
}
