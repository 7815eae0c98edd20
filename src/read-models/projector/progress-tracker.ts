import type { Recorded } from '../../domain/event.ts'
import type { PublicPosition, StorePosition } from '../../domain/values/position.ts'
import type { Batch } from '../../event-store/event-store.ts'
import { type Progress, progressAfter } from '../file/progress.ts'
import { makeWaiters } from './waiters.ts'

/** How long the views have by default to read what is in the store. */
export const VIEWS_TIMEOUT_MS = 5_000

/** Tracks how far the log has been folded and wakes those who wait for a position. */
export interface ProgressTracker {
  readonly current: () => Progress
  readonly isCaughtUp: () => boolean
  /** Advances past an event and returns its public position. */
  readonly advance: (event: Recorded) => PublicPosition
  /** Wakes those who wait for events of the batch. */
  readonly notifyWaiters: (batch: Batch) => void
  /** Called while nothing can be folded: waits for store positions end at once. */
  readonly pause: () => void
  readonly resume: () => void
  /**
   * Waits until the event at a store position has been folded. False after `within` milliseconds, and at once while
   * paused.
   */
  readonly waitForStorePosition: (storePosition: StorePosition, within?: number) => Promise<boolean> | boolean
  /** The same for a public position, but not ended by a pause. */
  readonly waitForPublicPosition: (position: PublicPosition, within?: number) => Promise<boolean> | boolean
}

export const makeProgressTracker = (initial: Progress): ProgressTracker => {
  let progress = initial
  let isCaughtUp = false
  let isHalted = false
  const forStorePositions = makeWaiters<StorePosition>()
  const forPublicPositions = makeWaiters<PublicPosition>()
  return {
    current: () => progress,
    isCaughtUp: () => isCaughtUp,
    advance: (event) => {
      progress = progressAfter(progress, event)
      return progress.position
    },
    notifyWaiters: ({ caughtUp }) => {
      isCaughtUp ||= caughtUp
      forStorePositions.wake(progress.storePosition)
      forPublicPositions.wake(progress.position)
    },
    pause: () => {
      isHalted = true
      forStorePositions.cancelAll()
    },
    resume: () => {
      isHalted = false
    },
    waitForStorePosition: (storePosition, within = VIEWS_TIMEOUT_MS) =>
      storePosition <= progress.storePosition || (!isHalted && forStorePositions.wait(storePosition, within)),
    waitForPublicPosition: (position, within = VIEWS_TIMEOUT_MS) =>
      position <= progress.position || forPublicPositions.wait(position, within),
  }
}
