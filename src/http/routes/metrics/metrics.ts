import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AppendFailure } from '../../../event-store/event-store.ts'
import type { FeedMeasures } from '../../../feed/subscribers.ts'
import { codes } from '../../protocol/problem.ts'
import type { RequestSummary } from '../../response/request-summary.ts'
import {
  feedMeasures,
  type GatewayMeasures,
  gatewayMeasures,
  type ProbeMeasures,
  probeMeasures,
  type ScheduleMeasures,
  scheduleMeasures,
} from './measures.ts'

/** Measurements reported by the parts of the service. */
export interface Measures extends ProbeMeasures, ScheduleMeasures, GatewayMeasures {
  /** The streams of the log, and those of changes. */
  readonly feed: FeedMeasures
  readonly changes: FeedMeasures
  readonly answered: (answered: RequestSummary) => void
  readonly appended: (outcome: 'done' | AppendFailure) => void
  /** A commit of this many appends took this many milliseconds. */
  readonly committed: (appends: number, milliseconds: number) => void
  /** A retry got the response of its first attempt. */
  readonly retryAnswered: () => void
  /** A command was decided again, because its stream had moved or might have. */
  readonly decisionRepeated: (why: 'moved' | 'refused') => void
}

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

export interface Metrics extends Measures {
  /** Starts exposing the gauges. */
  readonly registerGauges: (gauges: Gauges) => void
  /** In the Prometheus text format. */
  readonly text: () => Promise<string>
}

export const METRICS_MEDIA_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** Seconds. */
const ANSWER_TIMES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const COMMIT_TIMES = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
const COMMIT_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

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

/** Measures requests as clients see them. */
const requestMeasures = (registers: Registry[]): Pick<Measures, 'answered' | 'retryAnswered'> => {
  const requests = new Counter({
    name: 'berth_http_requests_total',
    help: 'Requests, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const times = new Histogram({
    name: 'berth_http_request_duration_seconds',
    help: 'Time from the start of a request until its response is ready.',
    labelNames: ['route', 'method'],
    buckets: ANSWER_TIMES,
    registers,
  })
  const refusals = new Counter({
    name: 'berth_refusals_total',
    help: 'Error responses, by problem code.',
    labelNames: ['code'],
    registers,
  })
  // Start at 0: Prometheus sees no increase in a series that begins with its first refusal.
  for (const code of Object.keys(codes)) refusals.inc({ code }, 0)
  const retries = new Counter({
    name: 'berth_retries_answered_total',
    help: 'Retries that got the response of their first attempt.',
    registers,
  })
  return {
    answered: ({ route, method, status, code, milliseconds }) => {
      requests.inc({ route, method, status })
      times.observe({ route, method }, milliseconds / 1000)
      if (code !== undefined) refusals.inc({ code })
    },
    retryAnswered: () => retries.inc(),
  }
}

/** Measures commands. */
const logMeasures = (registers: Registry[]): Pick<Measures, 'appended' | 'committed' | 'decisionRepeated'> => {
  const appends = new Counter({
    name: 'berth_appends_total',
    help: 'Appends to the log, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const sizes = new Histogram({
    name: 'berth_commit_appends',
    help: 'Appends per commit.',
    buckets: COMMIT_SIZES,
    registers,
  })
  const commits = new Histogram({
    name: 'berth_commit_duration_seconds',
    help: 'Duration of a commit to the log, including its sync.',
    buckets: COMMIT_TIMES,
    registers,
  })
  const decisions = new Counter({
    name: 'berth_decisions_repeated_total',
    help: 'Commands decided again, because the stream had moved or a refusal had to be confirmed.',
    labelNames: ['why'],
    registers,
  })
  return {
    appended: (outcome) => appends.inc({ outcome }),
    committed: (count, milliseconds) => {
      sizes.observe(count)
      commits.observe(milliseconds / 1000)
    },
    decisionRepeated: (why) => decisions.inc({ why }),
  }
}

/** The service's metrics, followed by `others` of its process. Label values are never client input. */
export const makeMetrics = (others: () => Promise<string> = async () => ''): Metrics => {
  const register = new Registry()
  return {
    ...requestMeasures([register]),
    ...logMeasures([register]),
    feed: feedMeasures([register], 'feed', 'event streams'),
    changes: feedMeasures([register], 'changes', 'streams of changes'),
    ...probeMeasures([register]),
    ...scheduleMeasures([register]),
    ...gatewayMeasures([register]),
    registerGauges: (gauges) => registerGauges(register, gauges),
    text: async () => `${await register.metrics()}\n${await others()}`.trimEnd().concat('\n'),
  }
}
