import { StoreUnavailable } from '../event-store/event-store.ts'
import type { EndReason } from './frames.ts'
import type { Source } from './source.ts'

/** How a stream waits that cannot begin yet: open, with signs of life, for a browser that is refused never asks again. */
export interface Hold {
  /** Whether it may be tried to begin. */
  readonly isOpen: () => boolean
  /** The position after which to begin, or why it ends; undefined where it has to wait on. */
  readonly begin: () => Promise<number | EndReason | undefined>
}

/** Whether a stream is held. */
export interface Holding {
  readonly isHeld: () => boolean
  /** It has begun, or ended. */
  readonly release: () => void
  /** What came of the one attempt that may be under way; undefined where it has to wait on. */
  readonly tryToBegin: () => Promise<number | EndReason | undefined>
}

export const makeHolding = (hold: Hold | undefined, onLetGo: () => void = () => undefined): Holding => {
  let isHeld = hold !== undefined
  let isBeginning = false
  return {
    isHeld: () => isHeld,
    release: () => {
      if (isHeld) onLetGo()
      isHeld = false
    },
    tryToBegin: async () => {
      if (!isHeld || isBeginning || !hold?.isOpen()) return undefined
      isBeginning = true
      try {
        return await hold.begin()
      } catch (error) {
        // The store was there for a moment only.
        if (error instanceof StoreUnavailable) return undefined
        throw error
      } finally {
        isBeginning = false
      }
    },
  }
}

/** A reader's part in what is read live for all. */
export interface Membership {
  readonly join: () => Promise<void>
  readonly leave: () => void
  /** The same hold, which joins when it begins. */
  readonly joining: (hold: Hold) => Hold
}

export const makeMembership = (source: Pick<Source, 'join' | 'leave'>, isLive: boolean): Membership => {
  let hasJoined = false
  let isGone = false
  const join = async (): Promise<void> => {
    if (!isLive) return
    await source.join()
    hasJoined = true
    // Its reader may have left meanwhile.
    if (isGone) source.leave()
  }
  return {
    join,
    leave: () => {
      isGone = true
      if (hasJoined) source.leave()
    },
    joining: (hold) => ({
      ...hold,
      begin: async () => {
        const after = await hold.begin()
        if (typeof after === 'number') await join()
        return after
      },
    }),
  }
}
