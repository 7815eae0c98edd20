import { readLastBackup } from '../../archive/last-backup.ts'
import { version } from '../../http/documents/version.ts'
import { type HealthCondition, isReady } from '../../http/routes/health.ts'
import type { Gauges, LabFigures, SutStateName } from '../../http/routes/metrics/gauges.ts'
import type { Certificate } from '../../http/server/certificate.ts'
import type { ListResult } from '../../read-models/list-reader.ts'
import type { SutCount } from '../../read-models/lists/suts.ts'
import type { Views } from '../../read-models/views.ts'
import type { Alarms } from '../../telemetry/alarms.ts'
import type { Core, Stage } from './base.ts'

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

interface GaugesOptions extends Core {
  readonly views: Views
  readonly condition: () => HealthCondition
  readonly certificate: Pick<Certificate, 'expiry'> | undefined
}

/** Each SUT has one: that it may not be reserved matters more than what probes found. */
const stateOf = ({ isActive, monitoring }: SutCount): SutStateName => {
  if (!isActive) return 'inactive'
  return monitoring === 'disabled' ? 'not_monitored' : monitoring
}

const shownBy = async <A>(reading: Promise<ListResult<A>> | undefined): Promise<A> => {
  if (reading === undefined) throw new Error('lists cannot be read now')
  return (await reading).listed
}

/** What the views say of the whole lab. */
const makeLabFigures = ({ views, clock }: Pick<GaugesOptions, 'views' | 'clock'>): LabFigures => {
  const waiting = (offset: number) => shownBy(views.read('sutRequests', { status: 'waiting', limit: 1, offset }))
  return {
    suts: async () => {
      const counts = { online: 0, offline: 0, unknown: 0, not_monitored: 0, inactive: 0 }
      for (const state of await shownBy(views.read('sutStates'))) counts[stateOf(state)] += state.count
      return counts
    },
    running: async () => {
      const second = Math.floor(clock() / 1_000)
      const span = { endsAfter: second, startsBefore: second + 1, isHeld: true }
      return (await shownBy(views.read('reservations', { ...span, limit: 1, offset: 0 }))).count
    },
    waiting: async () => (await waiting(0)).count,
    longestWait: async () => {
      const { count } = await waiting(0)
      // The newest are listed first.
      const [oldest] = count === 0 ? [] : (await waiting(count - 1)).documents
      if (oldest === undefined) return 0
      return Math.max(0, clock() - Date.parse((JSON.parse(oldest) as { created_at: string }).created_at)) / 1_000
    },
  }
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
