import { makeClockGuard } from '../commands/clock-guard.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { makeProcessClock } from '../processes/clock.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import type { Config } from './config/config.ts'
import type { Runtime } from './runtime.ts'

/** Between checks of the clock, so that the alarm does not depend on writes. */
const CHECK_INTERVAL_MS = 1_000

/** The time of the log's last event in Unix milliseconds. */
const lastRecorded = async (store: EventStore): Promise<number | undefined> => {
  const last = await store.at(await store.head())
  return last && epochMillisecondsOf(last.metadata.time)
}

/** Watches the clock and raises an alarm while it is ahead, or has just jumped. */
export const watchClock = async (
  { clockAheadMax }: Pick<Config, 'clockAheadMax'>,
  { clock, sinceBoot }: Pick<Runtime, 'clock' | 'sinceBoot'>,
  store: EventStore,
  alarms: Alarms,
) => {
  const last = await lastRecorded(store)
  const guard = makeClockGuard({
    clock,
    sinceBoot,
    lastRecorded: last,
    aheadMax: clockAheadMax,
    onChange: (isAhead, gained) => {
      if (!isAhead) alarms.clear('clock', 'the clock is correct again; accepting writes')
      else if (gained === undefined) {
        alarms.raise(
          'clock',
          'the clock is more than BERTH_CLOCK_AHEAD_MAX past the last event of the log, as after a long idle time; refusing writes until it is set or confirmed: berth clock confirm',
        )
      } else
        alarms.raise(
          'clock',
          'the clock jumped ahead by more than an hour; refusing writes until it is set or confirmed: berth clock confirm',
        )
    },
  })
  const processClock = makeProcessClock({
    clock,
    sinceBoot,
    lastRecorded: last,
    onChange: (isHeld, by) => {
      const seconds = Math.round(by / 1000)
      if (isHeld)
        alarms.raise('jump', `the clock jumped by ${seconds} s; starts and ends wait until it has held or is confirmed`)
      else alarms.clear('jump', 'the clock is trusted again; recording starts and ends')
    },
  })
  const check = (): void => {
    guard.isAhead(clock())
    processClock.mayAct()
  }
  check()
  const checking = setInterval(check, CHECK_INTERVAL_MS)
  checking.unref()
  const confirm = (): void => {
    guard.confirm()
    processClock.confirm()
  }
  return { guard: { ...guard, confirm }, processClock, stop: () => clearInterval(checking) }
}
