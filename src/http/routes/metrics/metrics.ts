import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { within } from '../../../concurrency/waits.ts'
import { OFFLINE_CAUSES } from '../../../domain/events/monitoring.ts'
import type { Cause } from '../../../domain/monitoring/status.ts'
import type { AppendFailure } from '../../../event-store/event-store.ts'
import type { FeedMeasures } from '../../../feed/subscribers.ts'
import { codes } from '../../protocol/problem.ts'
import { get, overseers } from '../../protocol/route.ts'
import type { RequestSummary } from '../../response/request-summary.ts'
import type { Parts } from '../parts.ts'
import { countRequests } from './request-counts.ts'

/** A value, or several which a label tells apart, measured whenever metrics are requested. */
export interface Measured {
  readonly name: string
  readonly help: string
  /** With these labels, if any. */
  readonly labels?: Readonly<Record<string, string>>
  readonly label?: string
  /** Values of the label that are always shown. */
  readonly known?: readonly string[]
  readonly measure: () => Figures | Promise<Figures>
}
type Figures = number | Readonly<Record<string, number>>

/** The other metrics matter most when one does not respond. */
const GAUGE_TIMEOUT_MS = 2_000

/** Starts exposing a gauge: NaN where it cannot be measured in time. */
const registerGauge = (register: Registry, { name, help, labels = {}, label, known = [], measure }: Measured): void => {
  const labelNames = label === undefined ? Object.keys(labels) : [label]
  new Gauge({
    ...{ name: `berth_${name}`, help, labelNames, registers: [register] },
    async collect() {
      const figures = await within(GAUGE_TIMEOUT_MS, Promise.try(measure), undefined).catch(() => undefined)
      if (label === undefined) return this.set(labels, typeof figures === 'number' ? figures : Number.NaN)
      const values = typeof figures === 'object' ? figures : {}
      for (const value of new Set([...known, ...Object.keys(values)]))
        this.set({ [label]: value }, values[value] ?? Number.NaN)
    },
  })
}

/** Makes the instruments of the service. Label values are never client input. */
const instrumentsIn = (register: Registry) => {
  const registers = [register]
  return {
    /**
     * A counter with one label. It starts at 0 for all values that are known: Prometheus sees no increase in a series
     * that begins with its first event.
     */
    counterBy: <V extends string>(label: string, name: string, help: string, known: readonly V[] = []) => {
      const counter = new Counter({ name: `berth_${name}`, help, labelNames: [label], registers })
      for (const value of known) counter.inc({ [label]: value }, 0)
      return (value: V, count = 1): void => counter.inc({ [label]: value }, count)
    },
    counter: (name: string, help: string) => new Counter({ name: `berth_${name}`, help, registers }),
    gauge: (name: string, help: string) => new Gauge({ name: `berth_${name}`, help, registers }),
    /** @param buckets upper bounds */
    histogram: <L extends string = never>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
      new Histogram<L>({ name: `berth_${name}`, help, buckets, labelNames, registers }),
  }
}
type Instruments = ReturnType<typeof instrumentsIn>

/** Requests under way of which it is known that they have been counted as retries. */
const COUNTED_MAX = 1_024

const requestMeasures = (register: Registry, { counter, counterBy }: Instruments) => {
  const count = countRequests(register)
  const refused = counterBy<string>('code', 'refusals_total', 'Error responses, by problem code.', Object.keys(codes))
  const counted = new LRUCache<string, true>({ max: COUNTED_MAX })
  const retries = counter('retries_answered_total', 'Retries that got the response of their first attempt.')
  return {
    answered: (answered: RequestSummary): void => {
      count(answered)
      if (answered.code !== undefined) refused(answered.code)
    },
    /** A retry got the response of its first attempt. Counts once, whether the views or a command know of that. */
    retryAnswered: (requestId: string): void => {
      if (!counted.has(requestId)) retries.inc()
      counted.set(requestId, true)
    },
  }
}

/** Seconds. */
const COMMIT_TIMES = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
const COMMIT_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

const logMeasures = ({ counterBy, histogram }: Instruments) => {
  const sizes = histogram('commit_appends', 'Appends per commit.', COMMIT_SIZES)
  const commits = histogram(
    'commit_duration_seconds',
    'Duration of a commit to the log, including its sync.',
    COMMIT_TIMES,
  )
  const repeated = 'Commands decided again, because the stream had moved or a refusal had to be confirmed.'
  return {
    appended: counterBy<'done' | AppendFailure>('outcome', 'appends_total', 'Appends to the log, by outcome.'),
    /** A commit of this many appends took this many milliseconds. */
    committed: (count: number, milliseconds: number): void => {
      sizes.observe(count)
      commits.observe(milliseconds / 1000)
    },
    /** A command was decided again, because its stream had moved or might have. */
    decisionRepeated: counterBy<'moved' | 'refused'>('why', 'decisions_repeated_total', repeated),
  }
}

/** Seconds. A machine nearby answers in a few milliseconds; 10 s end an attempt. */
const CONNECT_TIMES = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const REFUSED_FOR = ['over', 'not_bound', 'not_holder', 'not_here', 'full', 'undecided']

const gatewayMeasures = ({ counter, counterBy, gauge, histogram }: Instruments) => {
  const open = gauge('gateway_connections', 'Open connections to SUTs.')
  const opened = counter('gateway_connections_opened_total', 'Connections to SUTs that were opened.')
  const until = 'From the admission of a client until its SUT was connected, RFB handshakes included.'
  const took = histogram('gateway_connect_seconds', until, CONNECT_TIMES)
  const passed = 'Bytes passed on, by direction, counted when a connection ends.'
  const bytes = counterBy('direction', 'gateway_bytes_total', passed, ['to_sut', 'from_sut'])
  return {
    /** A client was connected to its SUT, after so many milliseconds. */
    connected: (milliseconds: number): void => {
      took.observe(milliseconds / 1000)
      open.inc()
      opened.inc()
    },
    disconnected: ({ bytesToSut, bytesFromSut }: Record<'bytesToSut' | 'bytesFromSut', number>): void => {
      open.dec()
      bytes('to_sut', bytesToSut)
      bytes('from_sut', bytesFromSut)
    },
    /** Clients were refused without a byte. */
    gatewayRefused: counterBy<string>(
      'reason',
      'gateway_refused_total',
      'Connections refused, by reason.',
      REFUSED_FOR,
    ),
  }
}

const webhookMeasures = ({ counterBy }: Instruments) => {
  const by = { delivered: 'Events that a webhook took.', failed: 'Attempts to deliver that failed.' }
  const counters = {
    delivered: counterBy<string>('webhook', 'webhook_delivered_total', by.delivered),
    failed: counterBy<string>('webhook', 'webhook_failed_total', by.failed),
  }
  return { attempted: (webhookId: string, outcome: keyof typeof by): void => counters[outcome](webhookId) }
}

/** Ends caused by the service. */
const CUT_OFFS = ['too_slow', 'user_changed', 'stopping', 'another_log', 'failed']

const feedMeasures = ({ counterBy, gauge }: Instruments, name: 'feed' | 'changes', what: string): FeedMeasures => {
  const subscribers = gauge(`${name}_subscribers`, `Open ${what}.`)
  const cutOff = counterBy<string>(
    'why',
    `${name}_cut_offs_total`,
    `The ${what} that the service ended, by reason.`,
    CUT_OFFS,
  )
  return {
    subscribed: () => subscribers.inc(),
    unsubscribed: (how) => {
      subscribers.dec()
      if (how !== 'left' && how !== 'done') cutOff(how)
    },
  }
}

/** Seconds: within the second, within a minute, after a downtime. */
const LAGS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300, 3_600, 86_400]

/** Measures what is done on time. */
const timedMeasures = ({ counterBy, histogram }: Instruments) => {
  const outcomes = 'Probes of SUTs, by outcome: reachable, in_use, no_password, or the cause of a failure.'
  const known = ['reachable', 'no_password', ...OFFLINE_CAUSES] as const
  const late = 'Time from when a start or end of a reservation was due until it was recorded.'
  const lags = histogram('schedule_lag_seconds', late, LAGS, 'what')
  for (const what of ['start', 'end']) lags.zero({ what })
  return {
    /** A SUT was reached, has an open session or says that it is in use, or this is the cause. */
    probed: counterBy<'reachable' | 'in_use' | Cause>('outcome', 'probes_total', outcomes, known),
    /** A start or end was recorded this many milliseconds after it was due. */
    scheduled: (what: 'start' | 'end', lag: number): void => lags.observe({ what }, Math.max(0, lag) / 1000),
  }
}

export const METRICS_MEDIA_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** The service's metrics, followed by `others` of its process. */
export const makeMetrics = (others: () => Promise<string> = async () => '') => {
  const register = new Registry()
  const instruments = instrumentsIn(register)
  return {
    ...requestMeasures(register, instruments),
    ...logMeasures(instruments),
    /** The streams of the log, and those of changes. */
    feed: feedMeasures(instruments, 'feed', 'event streams'),
    changes: feedMeasures(instruments, 'changes', 'streams of changes'),
    ...timedMeasures(instruments),
    ...gatewayMeasures(instruments),
    ...webhookMeasures(instruments),
    registerGauges: (gauges: readonly Measured[]): void => {
      for (const gauge of gauges) registerGauge(register, gauge)
    },
    /** In the Prometheus text format. */
    text: async (): Promise<string> => `${await register.metrics()}\n${await others()}`.trimEnd().concat('\n'),
  }
}
export type Metrics = ReturnType<typeof makeMetrics>

export const readMetrics = get('/metrics', {
  id: 'readMetrics',
  summary: 'Read the metrics (Prometheus)',
  guide: 'operating.md#metrics',
  roles: overseers,
  tokenScope: 'metrics',
  mediaType: METRICS_MEDIA_TYPE,
  isAlwaysOpen: true,
  answer: { type: 'string' },
  handler: async ({ metrics }: Parts) => E.right({ status: 200, body: await metrics.text() }),
})
