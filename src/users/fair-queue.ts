/** A queue with a concurrency limit that prefers tasks of lower rank. */
export interface FairQueue {
  /**
   * Runs a task when a slot is free, lower ranks first. Returns `full`, without starting it, if the queue has no room.
   */
  readonly run: <A>(rank: number, task: () => Promise<Done<A>>) => Promise<A | 'full'>
  /** Whether a task of this rank would find room. */
  readonly hasRoom: (rank: number) => boolean
  /** Whether no task is running or waiting. */
  readonly isIdle: () => boolean
}

/** Result of a task. After a wasted one its slot rests. */
export interface Done<A> {
  readonly result: A
  readonly isWasted: boolean
}

export interface FairQueueLimits {
  /** Concurrent tasks. */
  readonly runningMax: number
  /** Rest of a slot after a wasted task, as a multiple of the task's duration. */
  readonly rest: number
  /** Maximum expected wait in milliseconds, based on recent durations. */
  readonly waitMax: number
}

interface Waiting {
  readonly rank: number
  readonly start: () => void
  readonly refuse: () => void
}

/** Minimum and maximum queue length, whatever the durations. */
const WAITING_MIN = 8
const WAITING_MAX = 200
/** Weight of the newest task in the average duration. */
const NEWEST_WEIGHT = 1 / 8

/** Queue length, from the time a task occupies a slot. */
const makeRoom = ({ runningMax, waitMax }: FairQueueLimits) => {
  /** Average time a task occupies a slot, in milliseconds. */
  let taken = 0
  return {
    took: (milliseconds: number): void => {
      taken += (milliseconds - taken) * NEWEST_WEIGHT
    },
    size: (): number => {
      const fits = taken === 0 ? WAITING_MAX : Math.floor((waitMax * runningMax) / taken)
      return Math.min(WAITING_MAX, Math.max(WAITING_MIN, fits))
    },
  }
}

export const makeFairQueue = (limits: FairQueueLimits): FairQueue => {
  const { runningMax, rest } = limits
  /** By rank, then by arrival. */
  const waiting: Waiting[] = []
  const room = makeRoom(limits)
  let running = 0

  const hasRoom = (rank: number): boolean =>
    running < runningMax || waiting.length < room.size() || rank < (waiting.at(-1) as Waiting).rank

  const next = (): void => {
    if (running >= runningMax) return
    const first = waiting.shift()
    if (first === undefined) return
    running++
    first.start()
  }

  const leave = (): void => {
    running--
    next()
  }

  const enter = (entering: Waiting): void => {
    const behind = waiting.findIndex(({ rank }) => rank > entering.rank)
    waiting.splice(behind === -1 ? waiting.length : behind, 0, entering)
    next()
    while (waiting.length > room.size()) waiting.pop()?.refuse()
  }

  return {
    hasRoom,
    isIdle: () => running === 0 && waiting.length === 0,
    run: <A>(rank: number, task: () => Promise<Done<A>>) =>
      new Promise<A | 'full'>((resolve, reject) => {
        if (!hasRoom(rank)) return resolve('full')
        const start = async (): Promise<void> => {
          const began = performance.now()
          let pause = 0
          try {
            const { result, isWasted } = await task()
            const record = performance.now() - began
            if (isWasted) pause = record * rest
            room.took(record + pause)
            resolve(result)
          } catch (error) {
            reject(error)
          } finally {
            if (pause === 0) leave()
            else setTimeout(leave, pause)
          }
        }
        enter({ rank, start, refuse: () => resolve('full') })
      }),
  }
}
