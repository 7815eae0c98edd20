/** Work that must not all be done at once, served in turn by key, so that no key waits for another one's crowd. */
export interface FairQueue {
  /** `full` when there is no room to wait; the task was then not begun. */
  readonly run: <A>(key: string, task: () => Promise<A>) => Promise<A | 'full'>
}

export interface FairQueueLimits {
  /** Tasks under way at once. */
  readonly runningMax: number
  /** Tasks that wait under one key. */
  readonly waitingOfKeyMax: number
  readonly waitingMax: number
}

interface Waiting {
  readonly start: () => void
  readonly refuse: () => void
}

export const makeFairQueue = ({ runningMax, waitingOfKeyMax, waitingMax }: FairQueueLimits): FairQueue => {
  /** In the order in which the keys are served. */
  const lines = new Map<string, Waiting[]>()
  let waiting = 0
  let running = 0

  const next = (): void => {
    const [first] = lines
    if (first === undefined || running >= runningMax) return
    const [key, line] = first
    const task = line.shift() as Waiting
    waiting--
    lines.delete(key)
    if (line.length > 0) lines.set(key, line)
    running++
    task.start()
  }

  /** Makes room for one more under a key with so many, at the cost of the longest line if that is longer. */
  const makeRoom = (length: number): boolean => {
    if (length >= waitingOfKeyMax) return false
    if (waiting < waitingMax) return true
    let longest: Waiting[] = []
    for (const line of lines.values()) if (line.length > longest.length) longest = line
    if (longest.length <= length + 1) return false
    waiting--
    longest.pop()?.refuse()
    return true
  }

  return {
    run: <A>(key: string, task: () => Promise<A>) =>
      new Promise<A | 'full'>((resolve, reject) => {
        const line = lines.get(key) ?? []
        if (!makeRoom(line.length)) return resolve('full')
        const start = async (): Promise<void> => {
          try {
            resolve(await task())
          } catch (error) {
            reject(error)
          } finally {
            running--
            next()
          }
        }
        line.push({ start, refuse: () => resolve('full') })
        lines.set(key, line)
        waiting++
        next()
      }),
  }
}
