import type { PublicPosition } from '../domain/values/position.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import type { EndReason } from './events/frames.ts'

/** Keeps a stream open with heartbeats until it can begin, because a browser never retries a refused stream. */
export interface DelayedStart {
  /** Whether the stream may try to begin. */
  readonly isReady: () => boolean
  /** The position after which to begin, or why the stream ends; undefined to keep waiting. */
  readonly begin: () => Promise<PublicPosition | EndReason | undefined>
}

/** The state of a stream that may be held. */
export const makePendingStart = (delayedStart: DelayedStart | undefined, onLetGo: () => void = () => undefined) => {
  let isHeld = delayedStart !== undefined
  let isBeginning = false
  return {
    isHeld: () => isHeld,
    /** Marks the stream as begun or ended. */
    release: (): void => {
      if (isHeld) onLetGo()
      isHeld = false
    },
    /** The result of one attempt to begin; undefined to keep waiting. Only one attempt runs at a time. */
    tryToBegin: async (): Promise<PublicPosition | EndReason | undefined> => {
      if (!isHeld || isBeginning || !delayedStart?.isReady()) return undefined
      isBeginning = true
      try {
        return await delayedStart.begin()
      } catch (error) {
        // The store has failed again; keep waiting.
        if (error instanceof StoreUnavailable) return undefined
        throw error
      } finally {
        isBeginning = false
      }
    },
  }
}
