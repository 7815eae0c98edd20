/** Milliseconds of two clocks: Unix time, which may be set, and a monotonic clock. */
export interface Clocks {
  readonly wall: () => number
  readonly steady: () => number
}

/** Ends of forwardings, by reservation. */
export interface Deadlines {
  /** Null removes it. */
  readonly set: (id: string, until: number | null) => void
  readonly delete: (id: string) => void
  readonly isOver: (id: string) => boolean
  readonly stop: () => void
}

/**
 * The largest jump of the wall clock that deadlines follow, in milliseconds. The main thread applies the same limit and
 * then sets the deadlines again.
 */
const JUMP_MAX = 60_000
/** Milliseconds between checks of the clock. Also keeps timers below 2^31 ms, where they overflow. */
const CHECK_EVERY = 1_000

/** Calls `onOver` within milliseconds of each deadline, or within a second of a change of the clock. */
export const makeDeadlines = (
  onOver: (id: string) => void,
  { wall, steady }: Clocks = { wall: Date.now, steady: () => performance.now() },
): Deadlines => {
  /** `offset` is the difference of the clocks when the deadline was set. */
  const deadlines = new Map<string, { readonly until: number; readonly offset: number }>()
  let timer: NodeJS.Timeout | undefined

  const left = ({ until, offset }: { readonly until: number; readonly offset: number }): number => {
    const now = wall()
    const expected = steady() + offset
    return until - (Math.abs(now - expected) > JUMP_MAX ? expected : now)
  }

  const check = (): void => {
    clearTimeout(timer)
    let next = CHECK_EVERY
    for (const [id, deadline] of [...deadlines]) {
      const milliseconds = left(deadline)
      if (milliseconds > 0) next = Math.min(next, milliseconds)
      else {
        deadlines.delete(id)
        onOver(id)
      }
    }
    timer = deadlines.size === 0 ? undefined : setTimeout(check, Math.ceil(next))
  }

  return {
    set: (id, until) => {
      if (until === null) deadlines.delete(id)
      else deadlines.set(id, { until, offset: wall() - steady() })
      check()
    },
    delete: (id) => deadlines.delete(id),
    isOver: (id) => {
      const deadline = deadlines.get(id)
      return deadline !== undefined && left(deadline) <= 0
    },
    stop: () => {
      clearTimeout(timer)
      deadlines.clear()
    },
  }
}
