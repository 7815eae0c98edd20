import type { Recorded } from '../../domain/event.ts'
import type { Batch } from '../../event-store/event-store.ts'
import { behind, type Progress } from '../file/progress.ts'
import { makeWaiters } from './waiters.ts'

/** How far the log has been folded, and who waits for that. */
export interface Place {
  readonly now: () => Progress
  readonly isCaughtUp: () => boolean
  /** Moves behind an event; its public position. */
  readonly advance: (event: Recorded) => number
  /** Tells whoever waits for the events of a batch. */
  readonly arrive: (batch: Batch) => void
  /** Nothing is folded for the time being: nobody waits for it. */
  readonly halt: () => void
  readonly goOn: () => void
  /**
   * Waits until the event at `mark` has been folded; false if that takes longer than the milliseconds given, and at once
   * while nothing is folded because nothing can be written.
   */
  readonly reached: (mark: number, within: number) => Promise<boolean> | boolean
  /** The same for a public position. */
  readonly cameTo: (position: number, within: number) => Promise<boolean> | boolean
}

export const makePlace = (initial: Progress): Place => {
  let progress = initial
  let isCaughtUp = false
  let isHalted = false
  const forMarks = makeWaiters()
  const forPositions = makeWaiters()
  return {
    now: () => progress,
    isCaughtUp: () => isCaughtUp,
    advance: (event) => {
      progress = behind(progress, event)
      return progress.position
    },
    arrive: ({ caughtUp }) => {
      isCaughtUp ||= caughtUp
      forMarks.wake(progress.mark)
      forPositions.wake(progress.position)
    },
    halt: () => {
      isHalted = true
      forMarks.giveUp()
    },
    goOn: () => {
      isHalted = false
    },
    reached: (mark, within) => mark <= progress.mark || (!isHalted && forMarks.wait(mark, within)),
    cameTo: (position, within) => position <= progress.position || forPositions.wait(position, within),
  }
}
