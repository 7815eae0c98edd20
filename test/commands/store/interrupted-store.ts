import * as E from 'fp-ts/lib/Either.js'
import { type EventStore, StoreUnavailable } from '../../../src/event-store/event-store.ts'

export interface InterruptedStore {
  readonly store: EventStore
  /** How many calls there were, appends and readings of streams alike. */
  readonly calls: () => number
}

/** A store that is asked before each of its calls, counted from 1, whether the call is still made. */
const asking = (healthy: EventStore, isMade: (call: number) => Promise<boolean>): InterruptedStore => {
  let calls = 0
  return {
    calls: () => calls,
    store: {
      ...healthy,
      append:
        (...given) =>
        async () =>
          (await isMade(++calls)) ? healthy.append(...given)() : E.left('unavailable'),
      async *readStream(stream, after) {
        if (!(await isMade(++calls))) throw new StoreUnavailable('the process is dead')
        yield* healthy.readStream(stream, after)
      },
    },
  }
}

/** A store before whose Nth call something else comes to pass. */
export const interrupted = (healthy: EventStore, nth: number, interrupt: () => Promise<void>): InterruptedStore =>
  asking(healthy, async (call) => {
    if (call === nth) await interrupt()
    return true
  })

/** A store as a process has it that dies before its Nth call: that and all that follow are not made. */
export const dying = (healthy: EventStore, nth: number): InterruptedStore => asking(healthy, async (call) => call < nth)
