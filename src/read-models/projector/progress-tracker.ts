import type { Recorded } from '../../domain/event.ts'
import type { Batch } from '../../event-store/event-store.ts'
import { type Progress, progressAfter } from '../file/progress.ts'
import { makeWaiters } from './waiters.ts'

/** Tracks how far the log has been folded and wakes those who wait for a position. */
export interface ProgressTracker {
  readonly current: () => Progress
  readonly isCaughtUp: () => boolean
  /** Advances past an event and returns its public position. */
  readonly advance: (event: Recorded) => number
  /** Wakes those who wait for events of the batch. */
  readonly notifyWaiters: (batch: Batch) => void
  /** Called while nothing can be folded: waits for store positions end at once. */
  readonly pause: () => void
  readonly resume: () => void
  /**
   * Waits until the event at a store position has been folded. False after `within` milliseconds, and at once while
   * paused.
   */
  readonly waitForStorePosition: (mark: number, within: number) => Promise<boolean> | boolean
  /** The same for a public position, but not ended by a pause. */
  readonly waitForPosition: (position: number, within: number) => Promise<boolean> | boolean
}

export const makeProgressTracker = (initial: Progress): ProgressTracker => {
  let progress = initial
  let isCaughtUp = false
  let isHalted = false
  const forMarks = makeWaiters()
  const forPositions = makeWaiters()
  return {
    current: () => progress,
    isCaughtUp: () => isCaughtUp,
    advance: (event) => {
      progress = progressAfter(progress, event)
      return progress.position
    },
    notifyWaiters: ({ caughtUp }) => {
      isCaughtUp ||= caughtUp
      forMarks.wake(progress.mark)
      forPositions.wake(progress.position)
    },
    pause: () => {
      isHalted = true
      forMarks.cancelAll()
    },
    resume: () => {
      isHalted = false
    },
    waitForStorePosition: (mark, within) => mark <= progress.mark || (!isHalted && forMarks.wait(mark, within)),
    waitForPosition: (position, within) => position <= progress.position || forPositions.wait(position, within),
  }
}
