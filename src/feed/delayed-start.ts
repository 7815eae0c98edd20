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

/** The state of a held stream. */
export interface PendingStart {
  readonly isHeld: () => boolean
  /** Marks the stream as begun or ended. */
  readonly release: () => void
  /** The result of one attempt to begin; undefined to keep waiting. Only one attempt runs at a time. */
  readonly tryToBegin: () => Promise<PublicPosition | EndReason | undefined>
}

export const makePendingStart = (
  delayedStart: DelayedStart | undefined,
  onLetGo: () => void = () => undefined,
): PendingStart => {
  let isHeld = delayedStart !== undefined
  let isBeginning = false
  return {
    isHeld: () => isHeld,
    release: () => {
      if (isHeld) onLetGo()
      isHeld = false
    },
    tryToBegin: async () => {
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
