import { Histogram, type Registry } from 'prom-client'

/** Measurements of the schedule. */
export interface ScheduleMeasures {
  /** A start or end was recorded this many milliseconds after it was due. */
  readonly scheduled: (what: 'start' | 'end', lag: number) => void
}

/** Seconds: within the second, within a minute, after a downtime. */
const LAGS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300, 3_600, 86_400]

export const scheduleMeasures = (registers: Registry[]): ScheduleMeasures => {
  const lags = new Histogram({
    name: 'berth_schedule_lag_seconds',
    help: 'Time from when a start or end of a reservation was due until it was recorded.',
    labelNames: ['what'],
    buckets: LAGS,
    registers,
  })
  for (const what of ['start', 'end']) lags.zero({ what })
  return { scheduled: (what, lag) => lags.observe({ what }, Math.max(0, lag) / 1000) }
}
