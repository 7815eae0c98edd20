import type { Clock, SinceBoot } from '../domain/values/units.ts'

/** The largest step of the wall clock against the time since boot that is trusted immediately. */
const JUMP_MAX_MS = 60_000
/** A larger step is trusted after it has held for this long. */
const HELD_PERIOD_MS = 5 * 60_000
/** A step beyond this is trusted only when an operator confirms it. */
const BELIEVED_MAX_MS = 3_600_000
/** If the log's last event is older than this at a start, recording waits. */
const STALE_AGE_MS = 86_400_000
/** How long a check of the clocks is reused, by the wall clock. A jump that matters is longer. */
const CHECK_INTERVAL_MS = 1_000

export type ProcessClock = ReturnType<typeof makeProcessClock>

export interface ProcessClockOptions {
  readonly clock: Clock
  readonly sinceBoot: SinceBoot
  /** Unix milliseconds of the log's last event; undefined if it is empty. */
  readonly lastRecorded: number | undefined
  /** Called when the clock jumps, and when it is trusted again. `by` is in milliseconds. */
  readonly onChange: (isHeld: boolean, by: number) => void
}

/**
 * Decides whether to act on the wall clock. A clock that is wrong for a minute would open and close ports, and record
 * starts and ends that did not happen.
 */
export const makeProcessClock = (options: ProcessClockOptions) => {
  const { clock, sinceBoot, lastRecorded, onChange } = options
  /** Wall clock minus time since boot. */
  let believed = clock() - sinceBoot()
  /** A jump: the offset after it, and the time since boot when it was noticed. */
  let jump: { readonly offset: number; readonly at: number } | undefined
  const isStale = lastRecorded !== undefined && clock() > lastRecorded + STALE_AGE_MS
  const recordsFrom = isStale ? sinceBoot() + HELD_PERIOD_MS : Number.NEGATIVE_INFINITY
  let isRecording = !isStale
  let checkedAt = Number.NEGATIVE_INFINITY

  const believe = (offset: number): void => {
    const by = offset - believed
    believed = offset
    if (jump !== undefined) onChange(false, by)
    jump = undefined
  }

  /** Whether the clock of a start that was far past the log's last event has come back to that event. */
  const isBack = (now: number): boolean =>
    lastRecorded !== undefined &&
    !isRecording &&
    now >= lastRecorded - JUMP_MAX_MS &&
    now <= lastRecorded + STALE_AGE_MS

  const checkClocks = (): void => {
    const now = clock()
    if (Math.abs(now - checkedAt) < CHECK_INTERVAL_MS) return
    checkedAt = now
    const since = sinceBoot()
    const offset = now - since
    if (since >= recordsFrom) isRecording = true
    if (isBack(now)) {
      isRecording = true
      believe(offset)
      return
    }
    const by = offset - believed
    if (Math.abs(by) <= JUMP_MAX_MS) {
      believe(offset)
      return
    }
    if (jump === undefined) onChange(true, by)
    if (jump === undefined || Math.abs(offset - jump.offset) > JUMP_MAX_MS) jump = { offset, at: since }
    else if (Math.abs(by) <= BELIEVED_MAX_MS && since - jump.at >= HELD_PERIOD_MS) believe(offset)
  }

  return {
    now: clock,
    /** Whether ports follow the clock. While it is false they stay as they are. */
    mayAct: (): boolean => {
      checkClocks()
      return jump === undefined
    },
    /** Whether starts, ends and sessions may be recorded. */
    mayRecord: (): boolean => {
      checkClocks()
      return jump === undefined && isRecording
    },
    confirm: (): void => {
      isRecording = true
      believe(clock() - sinceBoot())
    },
  }
}
