import { makeTurns } from '../../concurrency/turns.ts'

/** Result of a task. After wasted work its slot rests. */
export interface Done<A> {
  readonly result: A
  /** Milliseconds of work that were wasted. */
  readonly wasted: number
}

export interface FairQueueLimits {
  /** Concurrent tasks. */
  readonly runningMax: number
  /** Rest of a slot after wasted work, as a multiple of that work. */
  readonly rest: number
  /** Maximum expected wait in milliseconds, going by recent tasks. */
  readonly waitMax: number
  /** Maximum number of waiting tasks, however short they are. */
  readonly waitingMax: number
}

/** Multiple of the maximum expected wait after which a task is refused although it had room. */
const OVERDUE = 5
/** Minimum queue length, however long the tasks are. */
const WAITING_MIN = 8
/** Weight of the newest task in the average duration. */
const NEWEST_WEIGHT = 1 / 8
const SLOTS = 'slots'

/** Queue length, from the time a task occupies a slot. */
const makeRoom = ({ runningMax, waitMax, waitingMax }: FairQueueLimits) => {
  /** Average time a task occupies a slot, in milliseconds. */
  let taken = 0
  return {
    took: (milliseconds: number): void => {
      taken += (milliseconds - taken) * NEWEST_WEIGHT
    },
    size: (): number => {
      const fits = taken === 0 ? waitingMax : Math.floor((waitMax * runningMax) / taken)
      return Math.min(waitingMax, Math.max(WAITING_MIN, fits))
    },
  }
}

/** A queue with a concurrency limit that prefers tasks of lower rank. */
export const makeFairQueue = (limits: FairQueueLimits) => {
  const { runningMax, rest, waitMax } = limits
  const room = makeRoom(limits)
  const turns = makeTurns({ limit: runningMax, waitingMax: room.size })
  return {
    /**
     * Runs a task when a slot is free, lower ranks first. Returns `full`, without starting it, if the queue has no room or
     * no slot became free in time.
     */
    run: async <A>(rank: number, task: () => Promise<Done<A>>): Promise<A | 'full'> => {
      const turn = turns.acquire(SLOTS, { rank, timeoutMs: OVERDUE * waitMax })
      if (turn !== undefined && !(await turn)) return 'full'
      const began = performance.now()
      let pause = 0
      try {
        const { result, wasted } = await task()
        pause = wasted * rest
        room.took(performance.now() - began + pause)
        return result
      } finally {
        turns.release(SLOTS, pause)
      }
    },
  }
}
