import * as E from 'fp-ts/lib/Either.js'
import type { AppendFailure, EventStore } from './event-store.ts'

/** How an append ended. */
export type AppendOutcome = 'done' | AppendFailure

/** The same store, which tells how every append ended. */
export const counting = (store: EventStore, tell: (outcome: AppendOutcome) => void): EventStore => ({
  ...store,
  append: (stream, expected, events, secrets) => {
    const append = store.append(stream, expected, events, secrets)
    return () =>
      append().then((ended) => {
        tell(E.isLeft(ended) ? ended.left : 'done')
        return ended
      })
  },
})
