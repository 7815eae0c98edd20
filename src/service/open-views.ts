import { join } from 'node:path'
import { projections } from '../../projections/index.ts'
import { makeCatchUpStates } from '../commands/states/catch-up-states.ts'
import type { EventStore } from '../event-store/event-store.ts'
import { openViews, type Views, type ViewsOptions } from '../read-models/views.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import { logResumed } from './assemble.ts'
import type { Config } from './config/config.ts'
import type { Log } from './world.ts'

const reportViews = (alarms: Alarms, log: Log): Pick<ViewsOptions, 'onAlarm' | 'onRecovery' | 'onResumed'> => ({
  onAlarm: (what, error, part) => alarms.raise(part, what, error),
  onRecovery: (what, part) => alarms.clear(part, what),
  onResumed: logResumed(log),
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
