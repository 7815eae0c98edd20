/** Work that must not all be done at once: who has asked less often goes first. */
export interface FairQueue {
  /** `full` when there is no room to wait; the task was then not begun. The lower the rank, the sooner it is begun. */
  readonly run: <A>(rank: number, task: () => Promise<Done<A>>) => Promise<A | 'full'>
  /** Whether a task of this rank would find room. */
  readonly hasRoom: (rank: number) => boolean
  /** Whether nothing is under way. */
  readonly isIdle: () => boolean
}

/** What came of a task, and whether it was worth its work: after one that was not, its place rests. */
export interface Done<A> {
  readonly result: A
  readonly isWasted: boolean
}

export interface FairQueueLimits {
  /** Tasks under way at once. */
  readonly runningMax: number
  /** Times the milliseconds of a wasted task for which its place rests. */
  readonly rest: number
  /** Milliseconds that tasks may have to wait, by how long the last ones took. */
  readonly waitMax: number
}

interface Waiting {
  readonly rank: number
  readonly start: () => void
  readonly refuse: () => void
}

/** Tasks that may wait however long each takes, and however short. */
const WAITING_MIN = 8
const WAITING_MAX = 200
/** How much the newest task counts in what one takes. */
const NEWEST_WEIGHT = 1 / 8

/** How many may wait, by how long a place is taken by a task. */
const makeRoom = ({ runningMax, waitMax }: FairQueueLimits) => {
  /** Milliseconds. */
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
  /** By rank, and within a rank in the order in which they came. */
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
