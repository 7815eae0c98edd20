import { StoreUnavailable } from '../../event-store.ts'

/** Calls at a time on one HTTP/2 connection, of the 100 that a server takes: the one after those would hang in silence. */
const CALLS_MAX = 90
/** Calls that wait for their turn; further ones are turned away. */
const QUEUE_MAX = 10_000

interface CallLimit {
  /** Resolves when a call may be made, after which `done` is due. @throws StoreUnavailable when it never will be */
  readonly acquire: () => Promise<void>
  readonly release: () => void
  /** Turns away whoever waits and whoever comes. */
  readonly close: () => void
}

export const makeCallLimit = (): CallLimit => {
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  let inFlight = 0
  let isClosed = false
  const makeClosedError = (): Error => new StoreUnavailable('the event store has been closed')
  return {
    acquire: async () => {
      if (isClosed) throw makeClosedError()
      if (inFlight < CALLS_MAX) {
        inFlight++
        return
      }
      if (waiting.length >= QUEUE_MAX) throw new StoreUnavailable('too much is asked of the event store at once')
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
