/** Milliseconds of two clocks: Unix time, which may be set, and a monotonic clock. */
export interface Clocks {
  readonly wall: () => number
  readonly steady: () => number
}

/**
 * The largest jump of the wall clock that deadlines follow. The main thread applies the same limit and then sets the
 * deadlines again.
 */
const JUMP_MAX_MS = 60_000
/** Between checks of the clock. Also keeps timers below 2^31 ms, where they overflow. */
const CHECK_INTERVAL_MS = 1_000

/**
 * Ends of forwardings, by reservation. Calls `onOver` within milliseconds of each deadline, or within a second of a change
 * of the clock.
 */
export const makeDeadlines = (
  onOver: (id: string) => void,
  { wall, steady }: Clocks = { wall: Date.now, steady: () => performance.now() },
) => {
  /** `offset` is the difference of the clocks when the deadline was set. */
  const deadlines = new Map<string, { readonly until: number; readonly offset: number }>()
  let timer: NodeJS.Timeout | undefined
  /** When the timer fires, on the steady clock. */
  let firesAt = Number.POSITIVE_INFINITY

  const left = ({ until, offset }: { readonly until: number; readonly offset: number }): number => {
    const now = wall()
    const expected = steady() + offset
    return until - (Math.abs(now - expected) > JUMP_MAX_MS ? expected : now)
  }

  const fireIn = (milliseconds: number): void => {
    clearTimeout(timer)
    firesAt = steady() + milliseconds
    timer = setTimeout(check, Math.ceil(milliseconds))
  }

  const check = (): void => {
    firesAt = Number.POSITIVE_INFINITY
    let next = CHECK_INTERVAL_MS
    for (const [id, deadline] of [...deadlines]) {
      const milliseconds = left(deadline)
      if (milliseconds > 0) next = Math.min(next, milliseconds)
      else {
        deadlines.delete(id)
        onOver(id)
      }
    }
    if (deadlines.size > 0) fireIn(next)
  }

  return {
    /** Null removes it. */
    set: (id: string, until: number | null): void => {
      deadlines.delete(id)
      if (until === null) return
      const deadline = { until, offset: wall() - steady() }
      const milliseconds = left(deadline)
      if (milliseconds <= 0) {
        onOver(id)
        return
      }
      deadlines.set(id, deadline)
      // The others are not checked: thousands may be set at once.
      const next = Math.min(milliseconds, CHECK_INTERVAL_MS)
      if (steady() + next < firesAt) fireIn(next)
    },
    delete: (id: string): boolean => deadlines.delete(id),
    isOver: (id: string): boolean => {
      const deadline = deadlines.get(id)
      return deadline !== undefined && left(deadline) <= 0
    },
    stop: (): void => {
      clearTimeout(timer)
      deadlines.clear()
    },
  }
}

export type Deadlines = ReturnType<typeof makeDeadlines>
