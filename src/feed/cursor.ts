import type { Logged } from '../domain/event.ts'
import { type PublicPosition, type StorePosition, toPublicPosition } from '../domain/values/position.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'

/** A position in the log from which reading continues. */
export type Cursor = ReturnType<typeof openCursor>

/** @param storePosition that of the event before `position` */
export const openCursor = (store: EventStore, storePosition: StorePosition, position: PublicPosition) => {
  const stop = new AbortController()
  const batches = store.subscribe(storePosition, stop.signal)[Symbol.asyncIterator]()
  let next = position
  let held: readonly Logged[] = []
  return {
    /** The public position of the next event. */
    position: () => next,
    /** Takes the next `count` events, which must exist. */
    take: async (count: number): Promise<readonly Logged[]> => {
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
    close: (): void => {
      stop.abort()
      void batches.return?.().catch(() => undefined)
    },
  }
}
