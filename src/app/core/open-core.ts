import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { makeClockGuard } from '../../commands/clock-guard.ts'
import type { Runner } from '../../commands/command-envelope.ts'
import { checkLogVersion, upgradeLog } from '../../commands/log-events.ts'
import { makeRunner } from '../../commands/loop.ts'
import { LOG_VERSION } from '../../domain/events/log.ts'
import { epochMillisecondsOf } from '../../domain/values/instant.ts'
import { type EventStore, StoreUnavailable } from '../../event-store/event-store.ts'
import { acquireLock } from '../../files/lock.ts'
import { makeDirectory } from '../../files/private-file.ts'
import { makeProcessClock } from '../../processes/clock.ts'
import { describeLoss, EventsLost, findLostEvents } from '../../read-models/file/lost-events.ts'
import { openViews, type Views } from '../../read-models/views.ts'
import { openVault } from '../../vault/open-vault.ts'
import { type Base, type Core, type LoggedReports, orThrow, whenStoreAnswers, withTimeout } from './base.ts'
import { openStore, refuseMissingBeside } from './open-store.ts'

/** A store that raises an alarm when it has no room for a write, until one succeeds again. */
const withFullAlarm = (store: EventStore, { alarms }: Base): EventStore => {
  const noteRoom = (appended: Awaited<ReturnType<EventStore['append']>>) => {
    if (E.isRight(appended)) alarms.clear('full', 'the event store has room again')
    else if (appended.left === 'full' && !alarms.isRaised('full')) {
      alarms.raise('full', 'the event store is full; writes are refused until there is room')
    }
    return appended
  }
  return { ...store, append: (...args) => store.append(...args).then(noteRoom) }
}

const openLog = async (base: Base): Promise<EventStore> => {
  const { config, alarms, metrics, randomHex, onFatal, openStore: openOwn } = base
  if (openOwn !== undefined) return openOwn(randomHex, onFatal)
  const onSilence = (isSilent: boolean): void => {
    if (isSilent) alarms.raise('silence', 'the event store does not answer; not ready')
    else alarms.clear('silence', 'the event store answers again')
  }
  const options = { randomHex, onFatal, onCommit: metrics.committed, onSilence }
  return whenStoreAnswers({ ...base, isShared: config.eventStore.kind !== 'sqlite' }, () => openStore(config, options))
}

/**
 * Views of an embedded log that were made from events which it lacks: somebody was told of these.
 *
 * @throws EventsLost unless an operator has given up the newest events of the log
 */
const refuseLostEvents = async ({ config, log }: Base, store: EventStore): Promise<void> => {
  // Views of a shared log raise an alarm.
  if (config.eventStore.kind !== 'sqlite') return
  const loss = await findLostEvents(join(config.data, 'views.db'), store)
  // Views that cannot be read are made again.
  const lost = E.isRight(loss) ? loss.right : undefined
  if (store.hasLostEvents) {
    const what = 'the log was not closed and its WAL is empty: if it held events, they are lost'
    log.warn({ ends_at: await store.head(), ...(lost && { lost_from: lost.from, lost_up_to: lost.upTo }) }, what)
  } else if (lost !== undefined) {
    const remedy = `restore the log, or, if it is right as it is, move ${lost.path} away, and start again`
    throw new EventsLost(`${describeLoss(lost)}: ${remedy}`)
  }
}

/** Between checks of the clock, so that the alarm does not depend on writes. */
const CLOCK_INTERVAL_MS = 1_000

const AHEAD_REMEDY = 'refusing writes until it is set or confirmed: berth clock confirm'

/** Watches the clock and raises an alarm while it is ahead, or has just jumped. */
const watchClock = async ({ config, clock, sinceBoot, alarms, opened }: Base, store: EventStore) => {
  const last = await store.at(await store.head())
  const lastRecorded = last && epochMillisecondsOf(last.metadata.time)
  const guard = makeClockGuard({
    ...{ clock, sinceBoot, lastRecorded, aheadMax: config.clockAheadMax },
    onChange: (isAhead, gained) => {
      if (!isAhead) alarms.clear('clock', 'the clock is correct again; accepting writes')
      else {
        const since =
          'the clock is more than BERTH_CLOCK_AHEAD_MAX past the last event of the log, as after a long idle time'
        const what = gained === undefined ? since : 'the clock jumped ahead by more than an hour'
        alarms.raise('clock', `${what}; ${AHEAD_REMEDY}`)
      }
    },
  })
  const processClock = makeProcessClock({
    ...{ clock, sinceBoot, lastRecorded },
    onChange: (isHeld, by) => {
      const jump = `the clock jumped by ${Math.round(by / 1000)} s`
      if (isHeld) alarms.raise('jump', `${jump}; starts and ends wait until it has held or is confirmed`)
      else alarms.clear('jump', 'the clock is trusted again; recording starts and ends')
    },
  })
  const check = (): void => {
    guard.isAhead(clock())
    processClock.mayAct()
  }
  check()
  const checking = setInterval(check, CLOCK_INTERVAL_MS)
  checking.unref()
  opened.defer(() => clearInterval(checking))
  const confirm = (): void => {
    guard.confirm()
    processClock.confirm()
  }
  return { guard: { ...guard, confirm }, processClock }
}

/**
 * Opens the log and the vault, and watches the clock. Keys the log has used must exist; for an unused log of its own
 * they are created.
 *
 * @throws Misconfigured naming every problem; LockTaken when another process has the data or the log
 */
export const openCore = async (base: Base): Promise<Core> => {
  const { config, opened } = base
  await makeDirectory(config.data)
  opened.defer(acquireLock(join(config.data, 'berth.lock')).release)
  const store = withFullAlarm(await openLog(base), base)
  opened.defer(store.close)
  await refuseLostEvents(base, store)
  await checkLogVersion(store).catch((error: unknown) => {
    // A networked store may be unavailable. Then the upgrade notices.
    if (!(error instanceof StoreUnavailable)) throw error
  })
  await refuseMissingBeside(store)
  // For a shared store, keys are configuration and are never created.
  const isShared = config.eventStore.kind !== 'sqlite'
  const { vault, close } = orThrow(await openVault({ ...config, ...base, store, mayMake: !isShared }))
  opened.defer(withTimeout(close))
  return { ...base, store, isShared, vault, ...(await watchClock(base, store)) }
}

/** Upgrades the log, as the last step that can fail a start: an older program does not accept the log afterwards. */
export const upgrade = (core: Core): Promise<void> => {
  const { guard } = core
  // A clock that is ahead is not recorded. With 0, the last event's time is used.
  const clock = (): number => (guard.isAhead(core.clock()) ? 0 : core.clock())
  return whenStoreAnswers(core, () => upgradeLog({ ...core, version: LOG_VERSION, clock }))
}

/** Opens the views of all projections, which report to the alarms, and the command loop. */
export const openViewsAndRunner = async (
  core: Core,
  { onCommandUnavailable }: LoggedReports,
): Promise<{ readonly views: Views; readonly runner: Runner }> => {
  const { config, log, alarms, metrics, onFatal, store, isShared, opened } = core
  const views = await openViews({
    path: join(config.data, 'views.db'),
    ...{ store, mayRebuild: !isShared, onFatal },
    onAlarm: (what, error, part) => alarms.raise(part, what, error),
    onRecovery: (what, part) => alarms.clear(part, what),
    // A node may cut off a subscription at any time.
    onResumed: (cause, milliseconds) =>
      log.warn({ err: cause, milliseconds }, 'subscription to the event store was interrupted; resumed'),
  })
  opened.defer(views.close)
  const { readSnapshot: read, keepSnapshot: keep, dropUnwrittenSnapshots: dropUnwritten } = views
  const runner = makeRunner({
    ...{ ...core, log: views, snapshots: { read, keep, dropUnwritten } },
    hooks: {
      onAppend: metrics.appended,
      onRetry: metrics.decisionRepeated,
      onRepeat: metrics.retryAnswered,
      onUnavailable: onCommandUnavailable,
    },
  })
  opened.defer(runner.saveStates)
  return { views, runner }
}
