import { LRUCache } from 'lru-cache'

/**
 * Shares a busy stream with other instances. An instance that appends command after command, without reading in between,
 * would always be faster than one that must read first, and lock it out.
 */
export interface SharedStreams {
  /** Another instance has appended to the stream in between. */
  readonly overtaken: (stream: string) => void
  /** Milliseconds to leave the stream to the others after a command. */
  readonly pauseAfter: (stream: string) => number
}

/** Milliseconds for which a stream counts as shared after another instance was faster. */
const SHARED_FOR = 2_000
/** Milliseconds for which an instance keeps a shared stream busy, and then leaves it to the others. */
const [BUSY_FOR, PAUSE] = [50, 25]
/** Shared streams remembered; others are not shared fairly. */
const STREAMS_MAX = 1_024

/** @param now monotonic milliseconds */
export const makeSharedStreams = (now: () => number = () => performance.now()): SharedStreams => {
  const shared = new LRUCache<string, { readonly until: number; busySince: number }>({ max: STREAMS_MAX })
  return {
    overtaken: (stream) => {
      const at = now()
      shared.set(stream, { until: at + SHARED_FOR, busySince: at })
    },
    pauseAfter: (stream) => {
      const found = shared.get(stream)
      if (found === undefined) return 0
      const at = now()
      if (at >= found.until) {
        shared.delete(stream)
        return 0
      }
      if (at - found.busySince < BUSY_FOR) return 0
      found.busySince = at + PAUSE
      return PAUSE
    },
  }
}
