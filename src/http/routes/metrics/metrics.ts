import { Gauge, Registry } from 'prom-client'
import {
  feedMeasures,
  gatewayMeasures,
  instrumentsIn,
  logMeasures,
  probeMeasures,
  requestMeasures,
  scheduleMeasures,
} from './measures.ts'

/** Values read whenever metrics are requested. */
export interface Gauges {
  readonly isReady: () => boolean
  /** The number of events the views show, and their lag behind the log, in units of the store. */
  readonly events: () => number
  readonly viewLag: () => Promise<number>
  /** Rows of the views that are not in their file yet. */
  readonly pendingRows: () => number
  /** Every alarm, and whether it is raised. */
  readonly alarms: () => Readonly<Record<string, boolean>>
  /** Vault keys besides the current one. */
  readonly oldKeys: () => number
}

export const METRICS_MEDIA_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** The other metrics matter most when one does not respond. */
const GAUGE_TIMEOUT_MS = 2_000

const withTimeout = async (number: number | Promise<number>): Promise<number> => {
  if (typeof number === 'number') return number
  const late = Promise.withResolvers<number>()
  const timer = setTimeout(late.resolve, GAUGE_TIMEOUT_MS, Number.NaN)
  return Promise.race([number, late.promise]).finally(() => clearTimeout(timer))
}

const registerGauges = (register: Registry, gauges: Gauges): void => {
  const gauge = (name: string, help: string, measure: () => number | Promise<number>): void => {
    new Gauge({
      name: `berth_${name}`,
      help,
      registers: [register],
      async collect() {
        try {
          this.set(await withTimeout(measure()))
        } catch {
          this.set(Number.NaN)
        }
      },
    })
  }
  gauge('ready', 'Whether the service is ready (1) or not (0).', () => Number(gauges.isReady()))
  gauge('log_events', 'Events folded from the log.', gauges.events)
  gauge(
    'view_lag',
    'Projection lag behind the end of the log, in events (embedded store) or bytes (EventStoreDB).',
    gauges.viewLag,
  )
  gauge('view_pending_rows', 'Rows of the views that are not committed yet.', gauges.pendingRows)
  gauge('vault_old_keys', 'Vault keys other than the current one.', gauges.oldKeys)
  new Gauge({
    name: 'berth_alarm',
    help: 'Whether an alarm is raised for a part (1 or 0). The log has the cause.',
    labelNames: ['part'],
    registers: [register],
    collect() {
      for (const [part, isRaised] of Object.entries(gauges.alarms())) this.set({ part }, Number(isRaised))
    },
  })
}

/** The service's metrics, followed by `others` of its process. */
export const makeMetrics = (others: () => Promise<string> = async () => '') => {
  const register = new Registry()
  const instruments = instrumentsIn(register)
  return {
    ...requestMeasures(instruments),
    ...logMeasures(instruments),
    /** The streams of the log, and those of changes. */
    feed: feedMeasures(instruments, 'feed', 'event streams'),
    changes: feedMeasures(instruments, 'changes', 'streams of changes'),
    ...probeMeasures(instruments),
    ...scheduleMeasures(instruments),
    ...gatewayMeasures(instruments),
    /** Starts exposing the gauges. */
    registerGauges: (gauges: Gauges): void => registerGauges(register, gauges),
    /** In the Prometheus text format. */
    text: async (): Promise<string> => `${await register.metrics()}\n${await others()}`.trimEnd().concat('\n'),
  }
}
export type Metrics = ReturnType<typeof makeMetrics>
