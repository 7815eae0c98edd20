import { Counter, collectDefaultMetrics, Registry } from 'prom-client'

/** Memory, CPU, garbage collection and event loop of this process, and the log lines it has lost, for Prometheus. */
export const makeProcessMetrics = (linesLost: () => number): (() => Promise<string>) => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  new Counter({
    name: 'berth_log_lines_lost_total',
    help: 'Lines of the log that could not be written.',
    registers: [register],
    collect() {
      this.reset()
      this.inc(linesLost())
    },
  })
  return () => register.metrics()
}
