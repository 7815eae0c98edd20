import { makeStore, type Store } from '../parts/store.ts'

/** Milliseconds between ticks of the now-line and the counters. */
const EVERY = 1_000

/** The time, in Unix milliseconds, to the second. */
export const openClock = (): Store<number> => {
  const read = (): number => Math.floor(Date.now() / EVERY) * EVERY
  const clock = makeStore(read())
  setInterval(() => clock.set(read()), EVERY)
  return clock
}
