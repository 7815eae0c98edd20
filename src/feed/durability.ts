import type { PublicPosition } from '../domain/values/position.ts'
import type { EventStore } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'

/**
 * Waits until all events up to a position are durable. Undefined when they are known to be, as all but the newest are.
 * Rejects with StoreUnavailable when they may never be.
 */
export type WaitUntilDurable = (position: PublicPosition) => Promise<void> | undefined

export interface DurabilityOptions {
  readonly store: Pick<EventStore, 'synced'>
  readonly views: Pick<Views, 'position'>
}

export const makeWaitUntilDurable = ({ store, views }: DurabilityOptions): WaitUntilDurable => {
  let known = -1
  return (position) => {
    if (position <= known) return undefined
    // Every folded event was committed before this call, so one sync covers them too.
    const committed = Math.max(position, views.position())
    const learn = (): void => {
      known = Math.max(known, committed)
    }
    const syncing = store.synced?.()
    if (syncing === undefined) learn()
    return syncing?.then(learn)
  }
}
