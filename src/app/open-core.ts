import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type LostKeys, makeLostKeys } from '../archive/lost-keys.ts'
import type { ClockGuard } from '../commands/clock-guard.ts'
import { checkLogVersion, upgradeLog } from '../commands/log-events.ts'
import { LOG_VERSION } from '../domain/events/log.ts'
import type { RandomHex } from '../domain/values/ids.ts'
import { type EventStore, StoreUnavailable } from '../event-store/event-store.ts'
import { acquireLock, type Lock } from '../files/lock.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { type Metrics, makeMetrics } from '../http/routes/metrics/metrics.ts'
import type { ProcessClock } from '../processes/clock.ts'
import { describeLoss, EventsLost, findLostEvents } from '../read-models/file/lost-events.ts'
import { type Alarms, makeAlarms } from '../telemetry/alarms.ts'
import { openVault } from '../vault/open-vault.ts'
import type { Vault } from '../vault/vault.ts'
import { Misconfigured } from './config/checks/misconfigured.ts'
import type { Config } from './config/config.ts'
import { type OpenStoreOptions, openStore, refuseMissingBeside } from './open-store.ts'
import type { Runtime } from './runtime.ts'
import { watchClock } from './watch-clock.ts'

/** Bytes. */
const POOL = 16_384

/** Random hex from a pool: asking the system for each id costs several times more. */
export const pooledHex = (randomBytes: (size: number) => Uint8Array): RandomHex => {
  let pool = ''
  let used = 0
  return (bytes) => {
    if (used + 2 * bytes > pool.length) {
      pool = Buffer.from(randomBytes(Math.max(POOL, bytes))).toString('hex')
      used = 0
    }
    used += 2 * bytes
    return pool.slice(used - 2 * bytes, used)
  }
}

/** The phase of the service's life. */
export interface Stage {
  hasFailed: boolean
  isStopping: boolean
  /** Until the ports of running reservations have been opened after the start. */
  isOpeningPorts: boolean
}

/** What is opened first, and what closes it. */
export interface Opening {
  readonly alarms: Alarms
  readonly metrics: Metrics
  readonly randomHex: RandomHex
  readonly stage: Stage
  readonly onFatal: (error: unknown) => void
  /** Closes what was opened, the last first, also after an error. */
  readonly opened: AsyncDisposableStack
  /** Closes what was opened before a start failed. That failure is reported, so others are only logged. */
  readonly closeAfterFailure: () => Promise<void>
}

/** The log with what every change of it needs. */
export interface Core {
  readonly store: EventStore
  /** Whether several instances may use the log. */
  readonly isShared: boolean
  readonly vault: Vault
  readonly lostKeys: LostKeys
  readonly guard: ClockGuard
  readonly processClock: ProcessClock
}

/** For background work to finish before the store is closed. */
const BACKGROUND_TIMEOUT_MS = 1_000

/** Closes with a timeout, so that an unresponsive store does not block shutdown. */
export const withTimeout =
  (close: () => Promise<void> | void, within = BACKGROUND_TIMEOUT_MS) =>
  (): Promise<void> =>
    Promise.race([close(), delay(within, undefined, { ref: false })])

export const orThrow = <A>(read: E.Either<readonly string[], A>): A => {
  if (E.isLeft(read)) throw new Misconfigured(read.left)
  return read.right
}

export const makeOpening = (config: Config, runtime: Runtime): Opening => {
  const opened = new AsyncDisposableStack()
  const stage: Stage = { hasFailed: false, isStopping: false, isOpeningPorts: config.gateway.isOn }
  return {
    alarms: makeAlarms(runtime.log),
    metrics: makeMetrics(runtime.processMetrics),
    randomHex: runtime.randomHex ?? pooledHex(runtime.randomBytes),
    stage,
    onFatal: (error) => {
      if (stage.hasFailed) return
      stage.hasFailed = true
      runtime.onFatal(error)
    },
    opened,
    closeAfterFailure: () =>
      opened.disposeAsync().catch((error: unknown) => runtime.log.error({ err: error }, 'cannot close everything')),
  }
}

/** A store that raises an alarm when it has no room for a write, until one succeeds again. */
const withFullAlarm = (store: EventStore, alarms: Alarms): EventStore => ({
  ...store,
  append: async (...args) => {
    const appended = await store.append(...args)
    if (E.isRight(appended)) alarms.clear('full', 'the event store has room again')
    else if (appended.left === 'full' && !alarms.isRaised('full')) {
      alarms.raise('full', 'the event store is full; writes are refused until there is room')
    }
    return appended
  },
})

/** Opens the store and reports while waiting for it. */
const openLog = (
  config: Config,
  { openStore: openOwn, log, signal = new AbortController().signal }: Runtime,
  alarms: Alarms,
  opening: Omit<OpenStoreOptions, 'onWaiting' | 'onSilence' | 'signal'>,
): EventStore | Promise<EventStore> => {
  if (openOwn !== undefined) return openOwn(opening.randomHex, opening.onFatal)
  const onWaiting = (error: Error): void => log.warn({ err: error }, 'event store unavailable; retrying')
  const onSilence = (isSilent: boolean): void => {
    if (isSilent) alarms.raise('silence', 'the event store does not answer; not ready')
    else alarms.clear('silence', 'the event store answers again')
  }
  return openStore(config, { ...opening, onWaiting, onSilence, signal })
}

/**
 * Views of an embedded log that were made from events which it lacks: somebody was told of these.
 *
 * @throws EventsLost unless an operator has given up the newest events of the log
 */
const refuseLostEvents = async ({ data, eventStore }: Config, { log }: Runtime, store: EventStore): Promise<void> => {
  // Views of a shared log raise an alarm.
  if (eventStore.kind !== 'sqlite') return
  const found = await findLostEvents(join(data, 'views.db'), store)
  // Views that cannot be read are made again.
  const lost = E.isRight(found) ? found.right : undefined
  if (store.hasLostEvents) {
    const what = 'the log was not closed and its WAL is empty: if it held events, they are lost'
    log.warn({ ends_at: await store.head(), ...(lost && { lost_from: lost.from, lost_up_to: lost.upTo }) }, what)
  } else if (lost !== undefined) {
    const remedy = `restore the log, or, if it is right as it is, move ${lost.path} away, and start again`
    throw new EventsLost(`${describeLoss(lost)}: ${remedy}`)
  }
}

/**
 * Opens the log and the vault, and watches the clock. Keys the log has used must exist; for an unused log of its own
 * they are created.
 *
 * @throws Misconfigured naming every problem; LockTaken when another process has the data or the log
 */
export const openCore = async (
  config: Config,
  runtime: Runtime,
  { alarms, metrics, randomHex, onFatal, opened }: Opening,
): Promise<Core> => {
  await makeDirectory(config.data)
  const lock: Lock = acquireLock(join(config.data, 'berth.lock'))
  opened.defer(lock.release)
  const opening = { randomHex, onFatal, onCommit: metrics.committed }
  const store = withFullAlarm(await openLog(config, runtime, alarms, opening), alarms)
  opened.defer(store.close)
  await refuseLostEvents(config, runtime, store)
  await checkLogVersion(store).catch((error: unknown) => {
    // A networked store may be unavailable. Then the upgrade notices.
    if (!(error instanceof StoreUnavailable)) throw error
  })
  await refuseMissingBeside(store)
  // For a shared store, keys are configuration and are never created.
  const isShared = config.eventStore.kind !== 'sqlite'
  const lostKeys = makeLostKeys(config.data, store.logId)
  const keeping = { mayMake: !isShared, alarms, remedyFor: lostKeys.remedyFor }
  const { vault, close } = orThrow(await openVault(config, runtime, store, keeping))
  opened.defer(withTimeout(close))
  const { stop, ...clocks } = await watchClock(config, runtime, store, alarms)
  opened.defer(stop)
  return { store, isShared, vault, lostKeys, ...clocks }
}

/** Upgrades the log, as the last step that can fail a start: an older program does not accept the log afterwards. */
export const upgrade = (
  { store, guard, isShared }: Pick<Core, 'store' | 'guard' | 'isShared'>,
  runtime: Runtime,
  randomHex: RandomHex,
): Promise<void> => {
  // A clock that is ahead is not recorded. With 0, the last event's time is used.
  const clock = (): number => (guard.isAhead(runtime.clock()) ? 0 : runtime.clock())
  return upgradeLog({ ...runtime, version: LOG_VERSION, clock, store, randomHex, waitsForStore: isShared })
}
