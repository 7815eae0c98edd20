import { makeTurns } from '../../../concurrency/turns.ts'
import { StoreUnavailable } from '../../event-store.ts'

/** Concurrent calls per HTTP/2 connection. A server accepts 100 and silently queues the rest. */
const CALLS_MAX = 90
/** Waiting calls; further ones are rejected. */
const WAITING_MAX = 10_000
const CALLS = 'calls'

interface CallLimit {
  /**
   * Resolves when a call may start. Then call `release` after it. @throws StoreUnavailable if too many wait, or after
   * `close`
   */
  readonly acquire: () => Promise<void>
  readonly release: () => void
  readonly isClosed: () => boolean
  /** @throws StoreUnavailable after `close` */
  readonly checkOpen: () => void
  /** Rejects all waiting and future calls. */
  readonly close: () => void
}

export const makeCallLimit = (): CallLimit => {
  const turns = makeTurns({ limit: CALLS_MAX, waitingMax: () => WAITING_MAX })
  let isClosed = false
  const checkOpen = (): void => {
    if (isClosed) throw new StoreUnavailable('the event store has been closed')
  }
  return {
    isClosed: () => isClosed,
    checkOpen,
    acquire: async () => {
      checkOpen()
      const turn = turns.acquire(CALLS)
      if (turn === undefined || (await turn)) return
      checkOpen()
      throw new StoreUnavailable('too many calls to the event store')
    },
    release: () => turns.release(CALLS),
    close: () => {
      isClosed = true
      turns.refuseAll()
    },
  }
}
