import { setTimeout as delay } from 'node:timers/promises'
import { finishRemovals } from '../accounts/finish-removals.ts'
import { beginSchedule } from '../commands/begin-schedule.ts'
import { makeSweep, startSweeping } from '../commands/listen-ports.ts'
import type { Runner } from '../commands/order.ts'
import type { EndReservations } from '../commands/users/end-reservations.ts'
import type { Config } from '../config/config.ts'
import { makeEventId, type RandomHex } from '../domain/values/ids.ts'
import { StoreUnavailable } from '../event-store/event-store.ts'
import { openForwarding } from '../machines/open-forwarding.ts'
import { openSessions } from '../machines/open-sessions.ts'
import type { ProcessClock } from '../processes/clock.ts'
import { runSchedule } from '../processes/schedule.ts'
import { makeUpcomingReservations, type UpcomingReservations } from '../processes/upcoming.ts'
import type { Views } from '../read-models/views.ts'
import type { Parts } from './parts.ts'
import type { World } from './world.ts'

/** Milliseconds before a retry. */
const RETRY_AFTER = 1_000
/** Milliseconds between checks whether the service is ready. */
const POLL_EVERY = 50

interface BeginScheduleOptions extends Pick<Parts, 'store' | 'guard'> {
  readonly world: World
  readonly randomHex: RandomHex
}

/**
 * Begins the schedule unless the log has begun it. Returns since when starts and ends are recorded, in Unix
 * milliseconds; undefined if that cannot be recorded yet.
 */
export const tryToBeginSchedule = async ({
  store,
  guard,
  world,
  randomHex,
}: BeginScheduleOptions): Promise<number | undefined> => {
  // A clock that is ahead would begin the schedule years from now.
  if (guard.isAhead(world.clock())) return undefined
  try {
    return await beginSchedule({ store, now: world.clock(), randomHex })
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}

/** Milliseconds between checks of the clock. */
const WAKE_EVERY = 50

export const pauseBriefly = (signal: AbortSignal): Promise<void> =>
  delay(WAKE_EVERY, undefined, { signal, ref: false }).catch(() => undefined)

interface ProcessesOptions {
  readonly world: World
  readonly randomHex: RandomHex
  readonly config: Config
  readonly parts: Parts
  readonly runner: Runner
  readonly endReservations: EndReservations
  readonly isOpen: () => boolean
  /** The port of the service itself. */
  readonly ownPort: number
}

interface ReadAheadOptions {
  readonly upcoming: Pick<UpcomingReservations, 'load' | 'isLoadDue'>
  readonly clock: Pick<ProcessClock, 'mayAct'>
  readonly log: Pick<World['log'], 'error'>
  /** Whether the views cannot be written. Lists may then never be readable, and an alarm says so. */
  readonly isUnwritten: () => boolean
  readonly wake: (signal: AbortSignal) => Promise<void>
  readonly pause: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
}

/** Failed reads after which the service becomes ready without open ports: one that lasts must not keep it from that. */
const FAILURES_MAX = 5

/**
 * Reads reservations ahead until the signal aborts.
 *
 * @param onFirst called once they have been read, or cannot be: ports are opened before the service is ready
 */
export const readAhead = async (
  { upcoming, clock, log, isUnwritten, wake, pause, signal }: ReadAheadOptions,
  onFirst: () => Promise<void>,
): Promise<void> => {
  let failures = 0
  /** False while lists cannot be read: a checkpoint may be in progress, which ends within milliseconds. */
  const readDue = async (): Promise<boolean> => {
    if (!clock.mayAct() || !upcoming.isLoadDue()) return true
    try {
      return await upcoming.load()
    } catch (error) {
      if (signal.aborted) return false
      failures++
      log.error({ err: error }, 'reservations cannot be read ahead; retrying')
      await pause(RETRY_AFTER)
      return false
    }
  }
  let isFirst = true
  for (; !signal.aborted; await wake(signal)) {
    const isSettled = (await readDue()) || isUnwritten() || failures >= FAILURES_MAX
    if (!isFirst || !isSettled || signal.aborted) continue
    isFirst = false
    await onFirst()
  }
}

/** Records starts and ends until the signal aborts. */
const recordOnTime = async (
  { world, randomHex, parts, runner, isOpen }: ProcessesOptions,
  {
    upcoming,
    wake,
    pause,
    signal,
  }: Pick<ReadAheadOptions, 'wake' | 'pause' | 'signal'> & {
    readonly upcoming: UpcomingReservations
  },
): Promise<void> => {
  const { store, views, guard, metrics, processClock: clock, scheduledFrom } = parts
  let from = scheduledFrom
  while (from === undefined && !signal.aborted) {
    await pause(RETRY_AFTER)
    from = await tryToBeginSchedule({ store, guard, world, randomHex })
  }
  if (from === undefined) return
  await runSchedule({
    ...{ upcoming, views, runner, clock, from, isOpen, wake, signal },
    makeRequestId: () => makeEventId(world.clock(), randomHex(10)),
    onRecorded: metrics.scheduled,
    onError: (error) => world.log.error({ err: error }, 'starts and ends were not recorded; retrying'),
  })
}

/**
 * Starts the timed processes: recording starts and ends, forwarding, sessions. Returns the function that stops them.
 */
export const startProcesses = (options: ProcessesOptions): (() => Promise<void>) => {
  const { config, world, randomHex, parts, runner, endReservations, isOpen, ownPort } = options
  const { store, views, users, alarms, instance, processClock: clock } = parts
  const { log, sinceBoot, wake = pauseBriefly } = world
  const stop = new AbortController()
  const signal = stop.signal
  const pause = (milliseconds: number): Promise<void> =>
    delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
  const upcoming = makeUpcomingReservations({ views, clock: world.clock })
  const isUnwritten = (): boolean => alarms.isRaised('views')

  const running = (async () => {
    while (!isOpen() && !signal.aborted) await pause(POLL_EVERY)
    if (signal.aborted) return
    const isForwarded = (id: string): boolean => forwarding?.forwarding.get(id) !== undefined
    const sessions = await openSessions({
      ...{ log, sinceBoot, randomHex, views, instance, runner, clock, alarms, isForwarded, isOpen, wake, signal },
      data: config.data,
    })
    parts.sessions.useOf = sessions.useOf
    const forwarding = config.gateway.isOn
      ? openForwarding({
          ...parts,
          ...{ config: config.gateway, clock: world.clock, log, runner, upcoming, ownPort, wake, signal, sessions },
        })
      : undefined
    const openPorts = async (): Promise<void> => {
      await forwarding?.forwarding.openDue()
      parts.stage.isOpeningPorts = false
    }
    try {
      await Promise.all([
        recordOnTime(options, { upcoming, wake, pause, signal }),
        readAhead({ upcoming, clock, log, isUnwritten, wake, pause, signal }, openPorts),
        forwarding?.forwarding.run(),
        sessions.run(),
        finishRemovals({ world, randomHex, store, users, runner, endReservations, isOpen, pause, signal }),
      ])
    } finally {
      // After an error the others are still running.
      stop.abort()
      await forwarding?.gateway.stop().catch(world.onFatal)
      await sessions.finish()
    }
  })().catch(world.onFatal)
  return async () => {
    stop.abort()
    await running
    upcoming.close()
  }
}

/** Starts sweeping abandoned creations. Returns the function that stops it. */
export const startSweep = (
  { clock, log }: World,
  randomHex: RandomHex,
  runner: Runner,
  views: Views,
  isOpen: () => boolean,
): (() => Promise<void> | void) => {
  const sweep = makeSweep({
    runner,
    clock,
    sutStatusOf: (id) => {
      const version = views.newest('sut', id)
      return version && (version.ended === 'retired' ? 'retired' : 'standing')
    },
    makeRequestId: () => makeEventId(clock(), randomHex(10)),
  })
  return startSweeping(sweep, isOpen, (error) => log.error({ err: error }, 'sweep failed; retrying')).stop
}
