import type { EventStore } from '../../../src/event-store/event-store.ts'
import type { Break } from './contract.ts'

/** A store with some of its functions replaced. */
export const always =
  (change: (store: EventStore) => Partial<EventStore>): Break =>
  () =>
  (store) => ({ ...store, ...change(store) })
