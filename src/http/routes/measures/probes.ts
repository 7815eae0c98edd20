import { Counter, type Registry } from 'prom-client'
import { OFFLINE_CAUSES } from '../../../domain/events/monitoring.ts'
import type { Cause } from '../../../domain/monitoring/status.ts'

/** Measurements of probes. */
export interface ProbeMeasures {
  /** A SUT was reached, has an open session or says that it is in use, or this is the cause. */
  readonly probed: (outcome: 'reachable' | 'in_use' | Cause) => void
}

export const probeMeasures = (registers: Registry[]): ProbeMeasures => {
  const probes = new Counter({
    name: 'berth_probes_total',
    help: 'Probes of SUTs, by outcome: reachable, in_use, no_password, or the cause of a failure.',
    labelNames: ['outcome'],
    registers,
  })
  // Start at 0: Prometheus sees no increase in a series that begins with its first probe.
  for (const outcome of ['reachable', 'no_password', ...OFFLINE_CAUSES]) probes.inc({ outcome }, 0)
  return { probed: (outcome) => probes.inc({ outcome }) }
}
