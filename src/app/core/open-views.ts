import { join } from 'node:path'
import { projections } from '../../../projections/index.ts'
import type { Runner } from '../../commands/command-envelope.ts'
import { makeRunner } from '../../commands/loop.ts'
import { openViews, type Views } from '../../read-models/views.ts'
import type { Core } from './base.ts'
import type { LoggedReports } from './reports.ts'

/** Opens the views of all projections, which report to the alarms, and the command loop. */
export const openViewsAndRunner = async (
  core: Core,
  { onCommandUnavailable }: LoggedReports,
): Promise<{ readonly views: Views; readonly runner: Runner }> => {
  const { config, log, alarms, metrics, onFatal, store, isShared, opened } = core
  const views = await openViews({
    path: join(config.data, 'views.db'),
    ...{ store, projections, mayRebuild: !isShared, onFatal },
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
