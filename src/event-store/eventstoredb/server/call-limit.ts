import { makeTurns } from '../../../concurrency/turns.ts'
import { StoreUnavailable } from '../../event-store.ts'

/** Concurrent calls per HTTP/2 connection. A server accepts 100 and silently queues the rest. */
const CALLS_MAX = 90
/** Waiting calls; further ones are rejected. */
const WAITING_MAX = 10_000
const CALLS = 'calls'

export const makeCallLimit = () => {
  const turns = makeTurns({ limit: CALLS_MAX, waitingMax: () => WAITING_MAX })
  let isClosed = false
  /** @throws StoreUnavailable after `close` */
  const checkOpen = (): void => {
    if (isClosed) throw new StoreUnavailable('the event store has been closed')
  }
  return {
    isClosed: () => isClosed,
    checkOpen,
    /**
     * Resolves when a call may start. Then call `release` after it.
     *
     * @throws StoreUnavailable if too many wait, or after `close`
     */
    acquire: async (): Promise<void> => {
      checkOpen()
      const turn = turns.acquire(CALLS)
      if (turn === undefined || (await turn)) return
      checkOpen()
      throw new StoreUnavailable('too many calls to the event store')
    },
    release: (): void => turns.release(CALLS),
    /** Rejects all waiting and future calls. */
    close: (): void => {
      isClosed = true
      turns.refuseAll()
    },
  }
}
