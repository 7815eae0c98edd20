/** A queue with a concurrency limit that prefers tasks of lower rank. */
export interface FairQueue {
  /**
   * Runs a task when a slot is free, lower ranks first. Returns `full`, without starting it, if the queue has no room or
   * no slot became free in time.
   */
  readonly run: <A>(rank: number, task: () => Promise<Done<A>>) => Promise<A | 'full'>
  /** Whether a task of this rank would find room. */
  readonly hasRoom: (rank: number) => boolean
  /** Whether no task is running or waiting. */
  readonly isIdle: () => boolean
}

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

interface Waiting {
  readonly rank: number
  readonly start: () => void
  readonly refuse: () => void
  /** Refuses it when it has waited far longer than expected. */
  readonly overdue: NodeJS.Timeout
}

/** Multiple of the maximum expected wait after which a task is refused although it had room. */
const OVERDUE = 5
/** Minimum queue length, however long the tasks are. */
const WAITING_MIN = 8
/** Weight of the newest task in the average duration. */
const NEWEST_WEIGHT = 1 / 8

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

/** The tasks that wait, by rank, then by arrival. */
const makeLine = (room: ReturnType<typeof makeRoom>, waitMax: number) => {
  const waiting: Waiting[] = []
  const refuse = (refused: Waiting): void => {
    clearTimeout(refused.overdue)
    waiting.splice(waiting.indexOf(refused), 1)
    refused.refuse()
  }
  return {
    isEmpty: () => waiting.length === 0,
    hasRoom: (rank: number): boolean => waiting.length < room.size() || rank < (waiting.at(-1) as Waiting).rank,
    add: (entering: Omit<Waiting, 'overdue'>): void => {
      const behind = waiting.findIndex(({ rank }) => rank > entering.rank)
      const entered: Waiting = { ...entering, overdue: setTimeout(() => refuse(entered), OVERDUE * waitMax) }
      waiting.splice(behind === -1 ? waiting.length : behind, 0, entered)
    },
    takeFirst: (): Waiting | undefined => {
      const first = waiting.shift()
      clearTimeout(first?.overdue)
      return first
    },
    /** Refuses the last ones until there is room for the others. */
    trim: (): void => {
      while (waiting.length > room.size()) refuse(waiting.at(-1) as Waiting)
    },
  }
}

export const makeFairQueue = (limits: FairQueueLimits): FairQueue => {
  const { runningMax, rest, waitMax } = limits
  const room = makeRoom(limits)
  const line = makeLine(room, waitMax)
  let running = 0

  const hasRoom = (rank: number): boolean => running < runningMax || line.hasRoom(rank)

  const next = (): void => {
    const first = running < runningMax ? line.takeFirst() : undefined
    if (first === undefined) return
    running++
    first.start()
  }

  const leave = (): void => {
    running--
    next()
  }

  return {
    hasRoom,
    isIdle: () => running === 0 && line.isEmpty(),
    run: <A>(rank: number, task: () => Promise<Done<A>>) =>
      new Promise<A | 'full'>((resolve, reject) => {
        if (!hasRoom(rank)) return resolve('full')
        const start = async (): Promise<void> => {
          const began = performance.now()
          let pause = 0
          try {
            const { result, wasted } = await task()
            pause = wasted * rest
            room.took(performance.now() - began + pause)
            resolve(result)
          } catch (error) {
            reject(error)
          } finally {
            if (pause === 0) leave()
            else setTimeout(leave, pause)
          }
        }
        line.add({ rank, start, refuse: () => resolve('full') })
        next()
        line.trim()
      }),
  }
}
