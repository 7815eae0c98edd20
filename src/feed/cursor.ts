import type { Logged } from '../domain/event.ts'
import { type PublicPosition, type StorePosition, toPublicPosition } from '../domain/values/position.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'

/** A position in the log from which reading continues. */
export interface Cursor {
  /** The public position of the next event. */
  readonly position: () => PublicPosition
  /** Takes the next `count` events, which must exist. */
  readonly take: (count: number) => Promise<readonly Logged[]>
  readonly close: () => void
}

/** @param storePosition that of the event before `position` */
export const openCursor = (store: EventStore, storePosition: StorePosition, position: PublicPosition): Cursor => {
  const stop = new AbortController()
  const batches = store.subscribe(storePosition, stop.signal)[Symbol.asyncIterator]()
  let next = position
  let held: readonly Logged[] = []
  return {
    position: () => next,
    take: async (count) => {
      while (held.length < count) {
        const { value, done } = await batches.next()
        if (done) throw new StoreUnavailable('the log ended before an event that is known to exist')
        held = held.length === 0 ? value.events : [...held, ...value.events]
      }
      const taken = held.slice(0, count)
      held = held.slice(count)
      next = toPublicPosition(next + count)
      return taken
    },
    close: () => {
      stop.abort()
      void batches.return?.().catch(() => undefined)
    },
  }
}
