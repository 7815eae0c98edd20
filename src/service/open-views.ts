import { join } from 'node:path'
import { projections } from '../../projections/index.ts'
import type { ClockGuard } from '../commands/clock-guard.ts'
import type { Runner } from '../commands/command-envelope.ts'
import { makeRunner } from '../commands/runner.ts'
import { makeCatchUpStates } from '../commands/states/catch-up-states.ts'
import type { Config } from '../config/config.ts'
import { LISTEN_PORTS_STREAM, type RandomHex } from '../domain/values/ids.ts'
import type { EventStore } from '../event-store/event-store.ts'
import type { Metrics } from '../http/routes/metrics/metrics.ts'
import { openViews, type Views, type ViewsOptions } from '../read-models/views.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import { makeLogUnavailable } from './reports.ts'
import type { Log, Runtime } from './runtime.ts'

const reportViews = (alarms: Alarms, log: Log): Pick<ViewsOptions, 'onAlarm' | 'onRecovery' | 'onResumed'> => ({
  onAlarm: (what, error, part) => alarms.raise(part, what, error),
  onRecovery: (what, part) => alarms.clear(part, what),
  // A node may cut off a subscription at any time.
  onResumed: (cause, milliseconds) =>
    log.warn({ err: cause, milliseconds }, 'subscription to the event store was interrupted; resumed'),
})

interface Viewing {
  readonly log: Log
  readonly alarms: Alarms
  readonly isShared: boolean
  readonly onFatal: (error: unknown) => void
}

/** Opens the views of all projections, which report to the alarms. */
export const openAllViews = (
  { data }: Config,
  store: EventStore,
  { log, alarms, isShared, onFatal }: Viewing,
): Promise<Views> =>
  openViews({
    path: join(data, 'views.db'),
    store,
    projections,
    mayRebuild: !isShared,
    states: makeCatchUpStates(),
    ...reportViews(alarms, log),
    onFatal,
  })

interface Running {
  readonly store: EventStore
  readonly views: Views
  readonly guard: ClockGuard
  readonly metrics: Metrics
  readonly isShared: boolean
}

/** The command loop of the service. */
export const openRunner = (
  { clock, log, sinceBoot }: Runtime,
  randomHex: RandomHex,
  { store, views, guard, metrics, isShared }: Running,
): Runner => {
  const { readSnapshot: read, readPage, keepSnapshot: keep, dropUnwrittenSnapshots: dropUnwritten } = views
  const hooks = {
    onAppend: metrics.appended,
    onRetry: metrics.decisionRepeated,
    // A repetition on the port stream is no response yet. The SUT's own stream decides that.
    onRepeat: (stream: string) => void (stream !== LISTEN_PORTS_STREAM && metrics.retryAnswered()),
    onUnavailable: makeLogUnavailable(log, sinceBoot).ofCommand,
  }
  const snapshots = { read, readPage, keep, dropUnwritten }
  return makeRunner({ store, clock, randomHex, snapshots, log: views, guard, hooks, isShared })
}
