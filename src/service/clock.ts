import { type ClockGuard, makeClockGuard } from '../commands/clock/guard.ts'
import { epochMillisecondsOf } from '../domain/values/instant.ts'
import type { EventStore } from '../event-store/event-store.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import type { Config } from './config/config.ts'
import type { World } from './world.ts'

/** Milliseconds between checks of the clock, so that the alarm does not depend on writes. */
const CHECK_EVERY = 1_000

/** The time of the log's last event in Unix milliseconds. */
const lastRecorded = async (store: EventStore): Promise<number | undefined> => {
  const last = await store.at(await store.head())
  return last && epochMillisecondsOf(last.metadata.time)
}

/** Watches the clock and raises an alarm while it is ahead. */
export const watchClock = async (
  { clockAheadMax }: Pick<Config, 'clockAheadMax'>,
  { clock, sinceBoot }: Pick<World, 'clock' | 'sinceBoot'>,
  store: EventStore,
  alarms: Alarms,
): Promise<ClockGuard & { readonly stop: () => void }> => {
  const guard = makeClockGuard({
    clock,
    sinceBoot,
    lastRecorded: await lastRecorded(store),
    aheadMax: clockAheadMax,
    onChange: (isAhead, gained) => {
      if (!isAhead) alarms.clear('clock', 'the clock is correct again; accepting writes')
      else if (gained === undefined) {
        alarms.raise('clock', 'the clock is far past the last event of the log; refusing writes until it is confirmed')
      } else
        alarms.raise(
          'clock',
          'the clock jumped ahead by more than an hour; refusing writes until it is corrected or confirmed',
        )
    },
  })
  guard.isAhead(clock())
  const looking = setInterval(() => guard.isAhead(clock()), CHECK_EVERY)
  looking.unref()
  return { ...guard, stop: () => clearInterval(looking) }
}
