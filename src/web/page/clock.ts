import { makeStore, type Store } from '../parts/store.ts'

/** Between ticks of the now-line and the counters. */
const TICK_INTERVAL_MS = 1_000

/** The time, in Unix milliseconds, to the second. */
export const openClock = (): Store<number> => {
  const read = (): number => Math.floor(Date.now() / TICK_INTERVAL_MS) * TICK_INTERVAL_MS
  const clock = makeStore(read())
  setInterval(() => clock.set(read()), TICK_INTERVAL_MS)
  return clock
}
