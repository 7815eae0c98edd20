import type { FairQueueLimits } from './fair-queue.ts'

/**
 * When wrong credentials are refused: so late that nobody can tell from the time whether a password was checked. It goes by
 * how long checks took lately and by how many have come, never by whether somebody has the name.
 */
export interface RefusalTiming {
  /** Takes note of the milliseconds that a check took. */
  readonly record: (milliseconds: number) => void
  /** Whether checks of late say nothing about now. */
  readonly isStale: () => boolean
  /** The moment, in milliseconds, at which one that comes now is refused. */
  readonly nextRefusal: () => number
}

/** Checks that are remembered, and milliseconds for which they are. */
const SAMPLES_MAX = 32
const SAMPLE_LIFETIME = 60_000
/** Milliseconds after which a check says nothing about how busy the machine is. */
const STALE_AFTER = 5_000
/** Times the longest check of late. */
const MARGIN = 1.25
/** Milliseconds that a check is taken to last at least. */
const CHECK_MIN = 10

/**
 * @param limits of the queue in which those checks wait that are made
 * @param now milliseconds that never go back
 */
export const makeRefusalTiming = ({ runningMax, rest, waitMax }: FairQueueLimits, now: () => number): RefusalTiming => {
  let checks: { readonly at: number; readonly milliseconds: number }[] = []
  /** When each place is free again, as if every attempt were checked. */
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
