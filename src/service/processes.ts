import { setTimeout as delay } from 'node:timers/promises'
import { finishRemovals } from '../accounts/finish-removals.ts'
import { type BeginScheduleOptions, tryToBeginSchedule } from '../commands/begin-schedule.ts'
import type { Runner } from '../commands/command-envelope.ts'
import type { EndReservations } from '../commands/users/end-reservations.ts'
import { makeEventId } from '../domain/values/ids.ts'
import type { EventStore } from '../event-store/event-store.ts'
import type { Metrics } from '../http/routes/metrics/metrics.ts'
import type { ProcessClock } from '../processes/clock.ts'
import type { ForwardingProcess } from '../processes/forwarding.ts'
import type { Keeping } from '../processes/keeping/keeping.ts'
import { runSchedule } from '../processes/schedule.ts'
import type { Sessions } from '../processes/sessions/sessions.ts'
import { readAhead, type UpcomingReservations } from '../processes/upcoming.ts'
import type { Views } from '../read-models/views.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import type { Users } from '../users/users.ts'
import type { Log } from './runtime.ts'

const RETRY_DELAY_MS = 1_000
/** Between checks whether the service is ready. */
const POLL_INTERVAL_MS = 50

/** Between checks of the clock. */
const WAKE_INTERVAL_MS = 50

export const pauseBriefly = (signal: AbortSignal): Promise<void> =>
  delay(WAKE_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined)

interface TimedOptions extends BeginScheduleOptions {
  readonly store: EventStore
  readonly views: Views
  readonly users: Pick<Users, 'members'>
  readonly runner: Runner
  readonly processClock: ProcessClock
  /** Since when starts and ends are recorded, in Unix milliseconds; undefined if that could not be recorded yet. */
  readonly scheduledFrom: number | undefined
  readonly upcoming: UpcomingReservations
  readonly sessions: Pick<Sessions, 'run'>
  /** Undefined where the gateway is off. */
  readonly forwarding: Pick<ForwardingProcess, 'openDue' | 'run'> | undefined
  readonly endReservations: EndReservations
  readonly isServing: () => boolean
  readonly keeping: Pick<Keeping, 'run'>
  readonly runGranting: () => Promise<void>
  /** Called when the ports of running reservations have been opened after the start. */
  readonly onPortsOpen: () => void
  readonly log: Log
  readonly alarms: Pick<Alarms, 'isRaised'>
  readonly metrics: Pick<Metrics, 'scheduled'>
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

/** Records starts and ends until the signal aborts. */
const recordOnTime = async (options: TimedOptions, pause: (milliseconds: number) => Promise<void>): Promise<void> => {
  const { views, runner, upcoming, processClock, isServing, clock, log, metrics, randomHex, wake, signal } = options
  let from = options.scheduledFrom
  while (from === undefined && !signal.aborted) {
    await pause(RETRY_DELAY_MS)
    from = await tryToBeginSchedule(options)
  }
  if (from === undefined) return
  await runSchedule({
    ...{ upcoming, views, runner, clock: processClock, from, isServing, wake, signal },
    makeRequestId: () => makeEventId(clock(), randomHex(10)),
    onRecorded: metrics.scheduled,
    onError: (error) => log.error({ err: error }, 'starts and ends were not recorded; retrying'),
  })
}

/**
 * What the clock triggers: records starts and ends, forwards, records sessions, releases what nobody keeps, grants what
 * is waited for, finishes removals, from when requests are answered until the signal aborts.
 */
export const runTimed = async (options: TimedOptions): Promise<void> => {
  const { store, users, runner, upcoming, forwarding, sessions, keeping, endReservations, processClock } = options
  const { isServing, onPortsOpen, alarms, clock, log, randomHex, wake, signal } = options
  const pause = (milliseconds: number): Promise<void> =>
    delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
  const isUnwritten = (): boolean => alarms.isRaised('views')
  while (!isServing() && !signal.aborted) await pause(POLL_INTERVAL_MS)
  if (signal.aborted) return
  const openPorts = async (): Promise<void> => {
    await forwarding?.openDue()
    onPortsOpen()
  }
  await Promise.all([
    recordOnTime(options, pause),
    readAhead({ upcoming, clock: processClock, log, isUnwritten, wake, pause, signal }, openPorts),
    forwarding?.run(),
    sessions.run(),
    keeping.run(),
    options.runGranting(),
    finishRemovals({ store, users, runner, endReservations, isServing, clock, log, randomHex, pause, signal }),
  ])
}
