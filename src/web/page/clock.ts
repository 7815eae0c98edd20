import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { MINUTE } from '../format/format.ts'
import { currentTime } from '../service/time.ts'

const TICK_INTERVAL_MS = 1_000

export interface Clock {
  /** The time, in Unix milliseconds, to the second. */
  readonly clock: ReadonlySignal<number>
  readonly minute: ReadonlySignal<number>
}

export const openClock = (): Clock => {
  const read = (): number => Math.floor(currentTime() / TICK_INTERVAL_MS) * TICK_INTERVAL_MS
  const clock = signal(read())
  setInterval(() => {
    clock.value = read()
  }, TICK_INTERVAL_MS)
  return { clock, minute: computed(() => Math.floor(clock.value / MINUTE) * MINUTE) }
}
