import * as E from 'fp-ts/lib/Either.js'
import type { Decision } from '../decider.ts'
import { type ExistingSut, type IfMatch, isStale, refuseRetired, refuseStale } from './refusals.ts'

/** Begins or ends the probing of a SUT, or changes how often it is probed. */
export interface SetMonitoring {
  readonly type: 'SetMonitoring'
  /** Seconds between probes; null ends probing. */
  readonly interval: number | null
  readonly ifMatch?: IfMatch
}

export const setMonitoring = (state: ExistingSut, { interval, ifMatch }: SetMonitoring): Decision => {
  const { _id } = state
  if (state.status === 'retired') return refuseRetired()
  if (isStale(state, ifMatch)) return refuseStale(state)
  if (interval === state.monitoring) return E.right([])
  return E.right([
    interval === null
      ? { type: 'SutMonitoringDisabled', data: { _id } }
      : { type: 'SutMonitoringEnabled', data: { _id, interval } },
  ])
}
