/** Milliseconds that the wall clock may gain on the time since boot before nothing is recorded any more. */
const GAIN_MAX = 3_600_000
/** Milliseconds that a clock set back must stay there before it is the one that later gains are measured from. */
const SET_BACK_FOR = 3_600_000
/** Milliseconds by the wall clock for which a verdict holds: a jump that matters is longer. */
const VERDICT_FOR = 1_000

/**
 * Judges whether the wall clock is ahead, for what is recorded with a time of the future disables its stream until then.
 * The time since boot, which suspension does not stop (CLOCK_BOOTTIME), is what a wall clock that was set cannot change.
 */
export interface ClockGuard {
  /** @param now the wall clock, in Unix milliseconds */
  readonly isAhead: (now: number) => boolean
  /** An operator says that the wall clock is right: gains are measured from now on. */
  readonly confirm: () => void
}

export interface ClockGuardOptions {
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Milliseconds since the machine was started, suspension included. */
  readonly sinceBoot: () => number
  /** Unix milliseconds of the log's last event; undefined where it has none. */
  readonly lastRecorded: number | undefined
  /** Milliseconds that a clock may be past the log's last event when the service starts. */
  readonly aheadMax: number
  /** Called when the verdict changes; `gained` is in milliseconds, undefined where the clock was ahead from the start. */
  readonly onChange: (isAhead: boolean, gained: number | undefined) => void
}

export const makeClockGuard = ({
  clock,
  sinceBoot,
  lastRecorded,
  aheadMax,
  onChange,
}: ClockGuardOptions): ClockGuard => {
  /** The wall clock less the time since boot when it was last believed; undefined while it never was. */
  let believed: number | undefined
  let setBackAt: number | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let isAhead = false

  /** What was believed follows a clock that was set back, but not one that only visits the past. */
  const followSetBack = (offset: number, since: number): void => {
    if (believed === undefined || offset >= believed - VERDICT_FOR) setBackAt = undefined
    else setBackAt ??= since
    if (setBackAt !== undefined && since - setBackAt >= SET_BACK_FOR) {
      believed = offset
      setBackAt = undefined
    }
  }

  const look = (now: number): void => {
    const since = sinceBoot()
    const offset = now - since
    lookedAt = now
    if (believed === undefined && (lastRecorded === undefined || now <= lastRecorded + aheadMax)) believed = offset
    followSetBack(offset, since)
    const gained = believed === undefined ? undefined : offset - believed
    const before = isAhead
    isAhead = gained === undefined || gained > GAIN_MAX
    if (isAhead !== before) onChange(isAhead, gained)
  }

  return {
    isAhead: (now) => {
      if (Math.abs(now - lookedAt) >= VERDICT_FOR) look(now)
      return isAhead
    },
    confirm: () => {
      const now = clock()
      believed = now - sinceBoot()
      setBackAt = undefined
      look(now)
    },
  }
}
