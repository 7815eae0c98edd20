import { laterPosition, type PublicPosition } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'

/**
 * Up to where the log is known to be on the disk. Where its fsync is deferred, a power cut may take what comes after,
 * and leave the views that were made from it.
 *
 * @param folded position of the last event folded
 */
export const makeSyncedPosition = (
  { synced }: Pick<EventStore, 'synced'>,
  folded: () => PublicPosition,
): (() => PublicPosition) => {
  let known = folded()
  return () => {
    // Every folded event was committed before this call, so that one sync covers it.
    const position = folded()
    const syncing = synced?.()
    const learn = (): void => {
      known = laterPosition(known, position)
    }
    if (syncing === undefined) learn()
    // The store reports a failed sync itself.
    else syncing.then(learn, () => undefined)
    return known
  }
}
