import { setTimeout as delay } from 'node:timers/promises'
import { type BeginScheduleOptions, tryToBeginSchedule } from '../commands/begin-schedule.ts'
import { runSchedule, type ScheduleOptions } from '../processes/schedule.ts'

const RETRY_DELAY_MS = 1_000
/** Between checks whether the service is ready. */
const POLL_INTERVAL_MS = 50

/** Resolves after so many milliseconds, or when the signal aborts. */
export const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)

/**
 * Records starts and ends until the signal aborts.
 *
 * @param begun since when they are recorded, in Unix milliseconds; undefined if that could not be recorded yet
 */
export const recordOnTime = async (
  beginning: BeginScheduleOptions,
  begun: number | undefined,
  schedule: Omit<ScheduleOptions, 'from'>,
): Promise<void> => {
  let from = begun
  while (from === undefined && !schedule.signal.aborted) {
    await pauseFor(RETRY_DELAY_MS, schedule.signal)
    from = await tryToBeginSchedule(beginning)
  }
  if (from !== undefined) await runSchedule({ ...schedule, from })
}

/** Begins what the clock triggers when requests are answered. Resolves when all of it has ended. */
export const runOnceServing = async (
  isServing: () => boolean,
  signal: AbortSignal,
  begin: () => readonly (Promise<unknown> | undefined)[],
): Promise<void> => {
  while (!isServing() && !signal.aborted) await pauseFor(POLL_INTERVAL_MS, signal)
  if (!signal.aborted) await Promise.all(begin())
}
