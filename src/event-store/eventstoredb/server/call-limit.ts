import { StoreUnavailable } from '../../event-store.ts'

/** Concurrent calls per HTTP/2 connection. A server accepts 100 and silently queues the rest. */
const CALLS_MAX = 90
/** Waiting calls; further ones are rejected. */
const QUEUE_MAX = 10_000

interface CallLimit {
  /**
   * Resolves when a call may start. Then call `release` after it. @throws StoreUnavailable if the queue is full or
   * closed
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
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  let inFlight = 0
  let isClosed = false
  const makeClosedError = (): Error => new StoreUnavailable('the event store has been closed')
  const checkOpen = (): void => {
    if (isClosed) throw makeClosedError()
  }
  return {
    isClosed: () => isClosed,
    checkOpen,
    acquire: async () => {
      checkOpen()
      if (inFlight < CALLS_MAX) {
        inFlight++
        return
      }
      if (waiting.length >= QUEUE_MAX) throw new StoreUnavailable('too many calls to the event store')
      await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
    },
    release: () => {
      const next = waiting.shift()
      if (next === undefined) inFlight--
      else next.resolve()
    },
    close: () => {
      isClosed = true
      for (const { reject } of waiting.splice(0)) reject(makeClosedError())
    },
  }
}
