import { join } from 'node:path'
import { projections } from '../../projections/index.ts'
import type { Runner } from '../commands/command-envelope.ts'
import { makeRunner } from '../commands/loop.ts'
import { makeCatchUpStates } from '../commands/states.ts'
import { openViews, type Views } from '../read-models/views.ts'
import type { Config } from './config/config.ts'
import type { Core, Opening } from './open-core.ts'
import { makeLogUnavailable } from './reports.ts'
import type { Runtime } from './runtime.ts'

/** Opens the views of all projections, which report to the alarms. */
export const openAllViews = (
  { data }: Config,
  { log }: Runtime,
  { alarms, onFatal }: Opening,
  { store, isShared }: Pick<Core, 'store' | 'isShared'>,
): Promise<Views> =>
  openViews({
    path: join(data, 'views.db'),
    store,
    projections,
    mayRebuild: !isShared,
    states: makeCatchUpStates(),
    onAlarm: (what, error, part) => alarms.raise(part, what, error),
    onRecovery: (what, part) => alarms.clear(part, what),
    // A node may cut off a subscription at any time.
    onResumed: (cause, milliseconds) =>
      log.warn({ err: cause, milliseconds }, 'subscription to the event store was interrupted; resumed'),
    onFatal,
  })

/** The command loop of the service. */
export const openRunner = (
  { clock, log, sinceBoot }: Runtime,
  { randomHex, metrics }: Opening,
  { store, guard, isShared }: Pick<Core, 'store' | 'guard' | 'isShared'>,
  views: Views,
): Runner => {
  const { readSnapshot: read, keepSnapshot: keep, dropUnwrittenSnapshots: dropUnwritten } = views
  const hooks = {
    onAppend: metrics.appended,
    onRetry: metrics.decisionRepeated,
    onRepeat: metrics.retryAnswered,
    onUnavailable: makeLogUnavailable(log, sinceBoot).ofCommand,
  }
  const snapshots = { read, keep, dropUnwritten }
  return makeRunner({ store, clock, randomHex, snapshots, log: views, guard, hooks, isShared })
}
