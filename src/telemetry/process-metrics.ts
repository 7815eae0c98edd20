import { Counter, collectDefaultMetrics, Registry } from 'prom-client'

/** Prometheus metrics of this process: memory, CPU, garbage collection, event loop and lost log lines. */
export const makeProcessMetrics = (linesLost: () => number): (() => Promise<string>) => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  new Counter({
    name: 'berth_log_lines_lost_total',
    help: 'Log lines that could not be written.',
    registers: [register],
    collect() {
      this.reset()
      this.inc(linesLost())
    },
  })
  return () => register.metrics()
}
