import type { Recorded } from '../../domain/event.ts'
import type { Batch } from '../../event-store/event-store.ts'
import { type Progress, progressAfter } from '../file/progress.ts'
import { makeWaiters } from './waiters.ts'

/** How far the log has been folded, and who waits for that. */
export interface ProgressTracker {
  readonly current: () => Progress
  readonly isCaughtUp: () => boolean
  /** Moves behind an event; its public position. */
  readonly advance: (event: Recorded) => number
  /** Tells whoever waits for the events of a batch. */
  readonly notifyWaiters: (batch: Batch) => void
  /** Nothing is folded for the time being: nobody waits for it. */
  readonly pause: () => void
  readonly resume: () => void
  /**
   * Waits until the event at `mark` has been folded; false if that takes longer than the milliseconds given, and at once
   * while nothing is folded because nothing can be written.
   */
  readonly waitForStorePosition: (mark: number, within: number) => Promise<boolean> | boolean
  /** The same for a public position. */
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
      forMarks.rejectAll()
    },
    resume: () => {
      isHalted = false
    },
    waitForStorePosition: (mark, within) => mark <= progress.mark || (!isHalted && forMarks.wait(mark, within)),
    waitForPosition: (position, within) => position <= progress.position || forPositions.wait(position, within),
  }
}
