import type { HealthCondition } from '../../http/routes/health.ts'
import type { Views } from '../../read-models/views.ts'
import type { Alarms } from '../../telemetry/alarms.ts'
import type { Stage } from './base.ts'

interface ConditionOptions {
  readonly alarms: Pick<Alarms, 'isRaised'>
  /** Undefined until they have been opened. */
  readonly views?: Pick<Views, 'caughtUp' | 'isOfAnotherLog'>
  /** Whether the users are those of the log, or were a moment ago. */
  readonly isUpToDate?: () => boolean
  readonly stage: Stage
}

const storeCondition = ({ alarms, views, stage }: ConditionOptions): HealthCondition['store'] => {
  if (stage.hasFailed) return 'failed'
  if (views?.isOfAnotherLog()) return 'another'
  if (alarms.isRaised('silence')) return 'silent'
  return alarms.isRaised('store') ? 'unreadable' : 'ok'
}

/** The state of each part, for health checks and metrics. */
export const conditionOf = (options: ConditionOptions): HealthCondition => {
  const { alarms, views, isUpToDate, stage } = options
  return {
    service: stage.isStopping ? 'stopping' : 'ok',
    store: storeCondition(options),
    views: !views?.caughtUp() ? 'behind' : alarms.isRaised('views') ? 'unwritten' : 'ok',
    users: !isUpToDate?.() ? 'unknown' : alarms.isRaised('users') ? 'broken' : 'ok',
    vault: alarms.isRaised('vault') ? 'broken' : 'ok',
    clock: alarms.isRaised('clock') ? 'ahead' : 'ok',
    gateway: stage.isOpeningPorts ? 'opening' : 'ok',
  }
}
