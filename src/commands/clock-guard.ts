import type { Clock, SinceBoot } from '../domain/values/units.ts'

/** How much the wall clock may gain on the time since boot before commands are refused. */
const GAIN_MAX_MS = 3_600_000
/** How long a clock must stay set back before it becomes the new reference. */
const SET_BACK_PERIOD_MS = 3_600_000
/** How long a verdict is reused, by the wall clock. A jump that matters is longer. */
const VERDICT_LIFETIME_MS = 1_000

/**
 * Detects a wall clock that is ahead. An event recorded with a future time blocks its stream until then. The reference
 * is the time since boot, including suspension (CLOCK_BOOTTIME), which setting the wall clock does not change.
 */
export interface ClockGuard {
  /** @param now the wall clock, in Unix milliseconds */
  readonly isAhead: (now: number) => boolean
  /** An operator confirms the wall clock. Gains are measured from now on. */
  readonly confirm: () => void
}

export interface ClockGuardOptions {
  readonly clock: Clock
  readonly sinceBoot: SinceBoot
  /** Unix milliseconds of the log's last event; undefined if it is empty. */
  readonly lastRecorded: number | undefined
  /** Milliseconds the clock may be past the log's last event at startup. */
  readonly aheadMax: number
  /** Called when the verdict changes. `gained` is in milliseconds; undefined if the clock was ahead from the start. */
  readonly onChange: (isAhead: boolean, gained: number | undefined) => void
}

export const makeClockGuard = (options: ClockGuardOptions): ClockGuard => {
  const { clock, sinceBoot, lastRecorded, aheadMax, onChange } = options
  /** Wall clock minus time since boot when the clock was last trusted; undefined if it never was. */
  let believed: number | undefined
  let setBackAt: number | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let isAhead = false

  /** The reference follows a clock that was set back for good, but not for a short time. */
  const followSetBack = (offset: number, since: number): void => {
    if (believed === undefined || offset >= believed - VERDICT_LIFETIME_MS) setBackAt = undefined
    else setBackAt ??= since
    if (setBackAt !== undefined && since - setBackAt >= SET_BACK_PERIOD_MS) {
      believed = offset
      setBackAt = undefined
    }
  }

  const check = (now: number): void => {
    const since = sinceBoot()
    const offset = now - since
    lookedAt = now
    if (believed === undefined && (lastRecorded === undefined || now <= lastRecorded + aheadMax)) believed = offset
    followSetBack(offset, since)
    const gained = believed === undefined ? undefined : offset - believed
    const before = isAhead
    isAhead = gained === undefined || gained > GAIN_MAX_MS
    if (isAhead !== before) onChange(isAhead, gained)
  }

  return {
    isAhead: (now) => {
      if (Math.abs(now - lookedAt) >= VERDICT_LIFETIME_MS) check(now)
      return isAhead
    },
    confirm: () => {
      const now = clock()
      believed = now - sinceBoot()
      setBackAt = undefined
      check(now)
    },
  }
}
