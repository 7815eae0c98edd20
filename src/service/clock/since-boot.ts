import { uptime } from 'node:os'

interface Clocks {
  /** Seconds since boot, including suspension. */
  readonly uptime: () => number
  /** Milliseconds that pass only while the machine is awake. */
  readonly monotonic: () => number
  /** Unix milliseconds. */
  readonly wall: () => number
}

const REAL: Clocks = { uptime, monotonic: () => performance.now(), wall: Date.now }

const READ_INTERVAL_MS = 1_000
/** Difference between the other two clocks beyond which one of them was set, or the machine slept. */
const APART_MAX_MS = 20

/**
 * Milliseconds since boot, including suspension; never less than before. Background work asks at every change, and
 * reading it takes 10 us (on Linux it is a file), so between readings it goes on with the monotonic clock.
 */
export const makeSinceBoot = ({ uptime, monotonic, wall }: Clocks = REAL): (() => number) => {
  let read = { sinceBoot: 0, monotonic: Number.NEGATIVE_INFINITY, wall: 0 }
  let last = 0
  return () => {
    const [now, wallNow] = [monotonic(), wall()]
    const passed = now - read.monotonic
    if (passed >= READ_INTERVAL_MS || Math.abs(wallNow - read.wall - passed) > APART_MAX_MS)
      read = { sinceBoot: uptime() * 1_000, monotonic: now, wall: wallNow }
    last = Math.max(last, read.sinceBoot + now - read.monotonic)
    return last
  }
}
