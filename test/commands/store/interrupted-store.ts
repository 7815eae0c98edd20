import * as E from 'fp-ts/lib/Either.js'
import { type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'

export interface InterruptedStore {
  readonly store: EventStore
  /** Number of appends and stream reads. */
  readonly calls: () => number
}

/** A store that checks before each call, counted from 1, whether to make it. */
const asking = (healthy: EventStore, isMade: (call: number) => Promise<boolean>): InterruptedStore => {
  let calls = 0
  return {
    calls: () => calls,
    store: {
      ...healthy,
      append: async (...given) => ((await isMade(++calls)) ? healthy.append(...given) : E.left('unavailable')),
      async *readStream(stream, after) {
        if (!(await isMade(++calls))) throw new StoreUnavailable('the process is dead')
        yield* healthy.readStream(stream, after)
      },
    },
  }
}

/** A store that runs `interrupt` before its Nth call. */
export const interrupted = (healthy: EventStore, nth: number, interrupt: () => Promise<void>): InterruptedStore =>
  asking(healthy, async (call) => {
    if (call === nth) await interrupt()
    return true
  })

/** The store of a process that dies before its Nth call. */
export const dying = (healthy: EventStore, nth: number): InterruptedStore => asking(healthy, async (call) => call < nth)
