import { Counter, type Registry } from 'prom-client'
import { OFFLINE_CAUSES, type OfflineCause } from '../../../domain/events/monitoring.ts'

/** Measurements of probes. */
export interface ProbeMeasures {
  /** A SUT was reached, was in use, or was not reached for this cause. */
  readonly probed: (outcome: 'reachable' | 'in_use' | OfflineCause) => void
}

export const probeMeasures = (registers: Registry[]): ProbeMeasures => {
  const probes = new Counter({
    name: 'berth_probes_total',
    help: 'Probes of SUTs, by outcome: reachable, in_use, or the cause of a failure.',
    labelNames: ['outcome'],
    registers,
  })
  // Start at 0: Prometheus sees no increase in a series that begins with its first probe.
  for (const outcome of ['reachable', 'in_use', ...OFFLINE_CAUSES]) probes.inc({ outcome }, 0)
  return { probed: (outcome) => probes.inc({ outcome }) }
}
