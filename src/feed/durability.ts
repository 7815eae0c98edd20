import type { EventStore } from '../event-store/event-store.ts'
import type { Views } from '../read-models/views.ts'

/**
 * Waits until the events up to a position, which have been read, are on the disk: nothing where that is known, as it is of
 * all but the newest. Rejects with StoreUnavailable when they may never be.
 */
export type WaitUntilDurable = (position: number) => Promise<void> | undefined

export interface DurabilityOptions {
  readonly store: Pick<EventStore, 'synced'>
  readonly views: Pick<Views, 'position'>
}

export const makeWaitUntilDurable = ({ store, views }: DurabilityOptions): WaitUntilDurable => {
  let known = -1
  return (position) => {
    if (position <= known) return undefined
    // Whatever has been folded was committed before this is asked.
    const committed = Math.max(position, views.position())
    const learn = (): void => {
      known = Math.max(known, committed)
    }
    const syncing = store.synced?.()
    if (syncing === undefined) learn()
    return syncing?.then(learn)
  }
}
