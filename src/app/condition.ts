import { readLastBackup } from '../archive/last-backup.ts'
import { version } from '../http/documents/guide/version.ts'
import { type HealthCondition, isReady } from '../http/routes/health.ts'
import type { Gauges } from '../http/routes/metrics/gauges.ts'
import type { Certificate } from '../http/server/certificate.ts'
import type { Views } from '../read-models/views.ts'
import type { Alarms } from '../telemetry/alarms.ts'
import type { Config } from './config/config.ts'
import { makeLabFigures } from './lab-figures.ts'
import type { Core, Opening, Stage } from './open-core.ts'

interface ConditionOptions {
  readonly alarms: Pick<Alarms, 'isRaised'>
  readonly views: Pick<Views, 'caughtUp' | 'isOfAnotherLog'>
  /** Whether the users are those of the log, or were a moment ago. */
  readonly isUpToDate: () => boolean
  readonly stage: Stage
}

const storeCondition = (
  alarms: ConditionOptions['alarms'],
  views: ConditionOptions['views'],
  isFailed: boolean,
): HealthCondition['store'] => {
  if (isFailed) return 'failed'
  if (views.isOfAnotherLog()) return 'another'
  if (alarms.isRaised('silence')) return 'silent'
  return alarms.isRaised('store') ? 'unreadable' : 'ok'
}

/** The condition until everything has been opened. */
export const CONDITION_AT_START: HealthCondition = {
  service: 'ok',
  store: 'ok',
  views: 'behind',
  users: 'unknown',
  vault: 'ok',
  clock: 'ok',
  gateway: 'ok',
}

/** The state of each part, for health checks and metrics. */
export const conditionOf = ({ alarms, views, isUpToDate, stage }: ConditionOptions): HealthCondition => ({
  service: stage.isStopping ? 'stopping' : 'ok',
  store: storeCondition(alarms, views, stage.hasFailed),
  views: !views.caughtUp() ? 'behind' : alarms.isRaised('views') ? 'unwritten' : 'ok',
  users: !isUpToDate() ? 'unknown' : alarms.isRaised('users') ? 'broken' : 'ok',
  vault: alarms.isRaised('vault') ? 'broken' : 'ok',
  clock: alarms.isRaised('clock') ? 'ahead' : 'ok',
  gateway: stage.isOpeningPorts ? 'opening' : 'ok',
})

interface GaugesOptions extends Pick<Core, 'store' | 'vault'>, Pick<Opening, 'alarms'> {
  readonly views: Views
  readonly condition: () => HealthCondition
  readonly config: Pick<Config, 'data' | 'eventStore'>
  readonly certificate: Pick<Certificate, 'expiry'> | undefined
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** The gauges, read whenever metrics are requested. */
export const gaugesOf = (options: GaugesOptions): Gauges => {
  const { store, views, vault, alarms, condition, config, certificate } = options
  return {
    isReady: () => isReady(condition()),
    events: () => views.position() + 1,
    viewLag: async () => Math.max(0, (await store.head()) - views.storePosition()),
    pendingRows: views.pendingRows,
    alarms: alarms.all,
    oldKeys: () => vault.keys().keys.length - 1,
    lab: makeLabFigures(options),
    lastBackup: async () =>
      config.eventStore.kind === 'sqlite' ? ((await readLastBackup(config.data, store.logId)) ?? 0) : Number.NaN,
    certificateExpiry: () => certificate?.expiry() ?? Number.NaN,
    build: { version: version(), node: process.versions.node },
  }
}
