export interface TurnsOptions {
  /** Holders of a key at a time: one unless given. */
  readonly limit?: number
  /** How many may wait for a key now. If it shrinks, the last are refused when the next one comes. */
  readonly waitingMax?: () => number
}

export interface Wait {
  /** Lower ranks go first. Those of one rank are served in order of arrival. */
  readonly rank?: number
  /** Milliseconds after which it is refused. */
  readonly timeoutMs?: number
}

interface Waiter {
  readonly rank: number
  /** A resolver rather than a promise, which would retain everything it resolves to. */
  readonly resolve: (isTurn: boolean) => void
  overdue: NodeJS.Timeout | undefined
}

interface Held {
  holders: number
  /** By rank, then by arrival. */
  waiting: Waiter[] | undefined
}

const settle = (waiter: Waiter, isTurn: boolean): void => {
  clearTimeout(waiter.overdue)
  waiter.resolve(isTurn)
}

/** Waits in the place of its rank. The last are refused until there is room for the others. */
const enter = (waiting: Waiter[], { rank = 0, timeoutMs }: Wait, waitingMax: () => number): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const waiter: Waiter = { rank, resolve, overdue: undefined }
  let at = waiting.length
  while (at > 0 && (waiting[at - 1] as Waiter).rank > rank) at--
  waiting.splice(at, 0, waiter)
  if (timeoutMs !== undefined) {
    waiter.overdue = setTimeout(() => {
      waiting.splice(waiting.indexOf(waiter), 1)
      resolve(false)
    }, timeoutMs)
  }
  while (waiting.length > waitingMax()) settle(waiting.pop() as Waiter, false)
  return promise
}

/** Turns at keys: so many hold a key at a time, and the others wait. */
export const makeTurns = ({ limit = 1, waitingMax = () => Number.POSITIVE_INFINITY }: TurnsOptions = {}) => {
  const held = new Map<string, Held>()

  const pass = (key: string): void => {
    const entry = held.get(key)
    if (entry === undefined) return
    const next = entry.waiting?.shift()
    if (next !== undefined) settle(next, true)
    else if (--entry.holders === 0) held.delete(key)
  }

  return {
    /**
     * Undefined if the turn begins at once. Otherwise resolves with true when it begins, or with false if it never will:
     * there is no room to wait, or not in time. Call `release` after a turn.
     */
    acquire: (key: string, wait?: Wait): Promise<boolean> | undefined => {
      const entry = held.get(key)
      if (entry === undefined) held.set(key, { holders: 1, waiting: undefined })
      else if (entry.holders < limit) entry.holders++
      else {
        entry.waiting ??= []
        return enter(entry.waiting, wait ?? {}, waitingMax)
      }
      return undefined
    },
    /** @param pauseMs milliseconds for which nobody gets this turn */
    release: (key: string, pauseMs = 0): void => {
      if (pauseMs === 0) pass(key)
      else setTimeout(pass, pauseMs, key)
    },
    /** Whether a turn would begin at once. */
    isFree: (key: string): boolean => (held.get(key)?.holders ?? 0) < limit,
    refuseAll: (): void => {
      for (const { waiting } of held.values()) for (const waiter of waiting?.splice(0) ?? []) settle(waiter, false)
    },
  }
}
