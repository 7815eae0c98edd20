import { makeWaits } from '../../concurrency/waits.ts'
import type { Recorded } from '../../domain/event.ts'
import { laterPosition, type PublicPosition, type StorePosition } from '../../domain/values/position.ts'
import type { Batch, EventStore } from '../../event-store/event-store.ts'
import { type Progress, progressAfter } from '../file/progress.ts'

/** How long the views have by default to read what is in the store. */
export const VIEWS_TIMEOUT_MS = 5_000

export type ProgressTracker = ReturnType<typeof makeProgressTracker>

const [STORE, PUBLIC] = ['store position', 'public position']

/** Tracks how far the log has been folded and wakes those who wait for a position. */
export const makeProgressTracker = (initial: Progress, store: Pick<EventStore, 'synced'>) => {
  let progress = initial
  let synced = initial.position
  let isCaughtUp = false
  let isPaused = false
  const waits = makeWaits()
  const waitFor = (of: string, isReached: () => boolean, within: number): Promise<boolean> =>
    waits.until(of, isReached, within).then(isReached)
  /**
   * Waits until all events up to a position are on the disk. Undefined if they are known to be, as all but the newest are.
   * Rejects with StoreUnavailable if they may never be.
   */
  const waitUntilDurable = (position: PublicPosition): Promise<void> | undefined => {
    if (position <= synced) return undefined
    // Every folded event was committed before this call, so that one sync covers it.
    const folded = progress.position
    const learn = (): void => {
      synced = laterPosition(synced, folded)
    }
    const syncing = store.synced?.()
    if (syncing === undefined) learn()
    return syncing?.then(learn)
  }
  return {
    current: () => progress,
    isCaughtUp: () => isCaughtUp,
    /** Advances past an event and returns its public position. */
    advance: (event: Recorded): PublicPosition => {
      progress = progressAfter(progress, event)
      return progress.position
    },
    /** Wakes those who wait for events of the batch. */
    notifyWaiters: ({ caughtUp }: Batch): void => {
      isCaughtUp ||= caughtUp
      waits.recheck(STORE)
      waits.recheck(PUBLIC)
    },
    /** Waits for store positions end at once while nothing can be folded. */
    pauseDuring: async (pause: Promise<void>): Promise<void> => {
      isPaused = true
      waits.recheck(STORE, true)
      await pause
      isPaused = false
    },
    waitUntilDurable,
    /**
     * Up to where the log is known to be on the disk; asks for more. Where its fsync is deferred, a power cut may take
     * what comes after, and leave the views that were made from it.
     */
    synced: (): PublicPosition => {
      // The store reports a failed sync itself.
      waitUntilDurable(progress.position)?.catch(() => undefined)
      return synced
    },
    /**
     * Waits until the event at a store position has been folded. False after `within` milliseconds, and at once while
     * paused.
     */
    waitForStorePosition: (storePosition: StorePosition, within = VIEWS_TIMEOUT_MS): Promise<boolean> | boolean => {
      const isReached = (): boolean => storePosition <= progress.storePosition
      return isReached() || (!isPaused && waitFor(STORE, isReached, within))
    },
    /** The same for a public position, but not ended by a pause. */
    waitForPublicPosition: (position: PublicPosition, within = VIEWS_TIMEOUT_MS): Promise<boolean> | boolean => {
      const isReached = (): boolean => position <= progress.position
      return isReached() || waitFor(PUBLIC, isReached, within)
    },
  }
}
