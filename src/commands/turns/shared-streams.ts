import { LRUCache } from 'lru-cache'

/** How long a stream counts as contended after another instance was faster. */
const CONTENDED_PERIOD_MS = 2_000
/** Milliseconds for which an instance keeps a contended stream busy, and for which it then leaves it to the others. */
const [BUSY_MAX_MS, PAUSE_MS] = [50, 25]
/** How long it keeps any other stream busy: another instance may never have been fast enough to show. */
const BUSY_ALONE_MAX_MS = 1_000
/** Streams remembered. A forgotten one begins a new second. */
const STREAMS_MAX = 1_024

/**
 * Shares busy streams with other instances. An instance that appends command after command, without reading in between,
 * would always be faster than one that must read first, and lock it out.
 *
 * @param now monotonic milliseconds
 */
export const makeSharedStreams = (now: () => number = () => performance.now()) => {
  const streams = new LRUCache<string, { contendedUntil: number; busySince: number; freeSince: number }>({
    max: STREAMS_MAX,
  })
  const remembered = (stream: string, at: number) => {
    const found = streams.get(stream)
    if (found !== undefined) return found
    const begun = { contendedUntil: 0, busySince: at, freeSince: at }
    streams.set(stream, begun)
    return begun
  }
  return {
    /** Another instance has appended to the stream in between. */
    overtaken: (stream: string): void => {
      const at = now()
      const found = remembered(stream, at)
      found.contendedUntil = at + CONTENDED_PERIOD_MS
      found.busySince = at
    },
    /**
     * Milliseconds to leave the stream to the others after a command.
     *
     * @param began when the command got its turn, in monotonic milliseconds
     */
    pauseAfter: (stream: string, began: number): number => {
      const at = now()
      const found = remembered(stream, began)
      if (began - found.freeSince >= PAUSE_MS) found.busySince = Math.max(found.busySince, began)
      found.freeSince = at
      if (at - found.busySince < (at < found.contendedUntil ? BUSY_MAX_MS : BUSY_ALONE_MAX_MS)) return 0
      found.busySince = at + PAUSE_MS
      return PAUSE_MS
    },
  }
}
