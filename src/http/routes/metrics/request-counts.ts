import type { Metric, Registry } from 'prom-client'
import type { RequestSummary } from '../../response/request-summary.ts'

/** Upper bounds of buckets, in seconds. */
const TIMES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity]
const COUNT = 'berth_http_requests_total'
const TIME = 'berth_http_request_duration_seconds'

/** The requests with one route and method. */
interface Counts {
  readonly labels: { readonly route: string; readonly method: string }
  readonly byStatus: Map<number, number>
  /** By the first bound that the time does not exceed. */
  readonly byTime: number[]
  seconds: number
}

const countValues = ({ labels, byStatus }: Counts) =>
  [...byStatus].map(([status, value]) => ({ labels: { ...labels, status }, value }))

const timeValues = ({ labels, byTime, seconds }: Counts) => {
  let total = 0
  const buckets = byTime.map((count, n) => {
    total += count
    return {
      metricName: `${TIME}_bucket`,
      labels: { le: TIMES[n] === Infinity ? '+Inf' : TIMES[n], ...labels },
      value: total,
    }
  })
  const sum = { metricName: `${TIME}_sum`, labels, value: seconds }
  return [...buckets, sum, { metricName: `${TIME}_count`, labels, value: total }]
}

/**
 * Counts requests and their times in plain numbers, which the registry reads. Its own instruments look up all labels for
 * each request: 1.2 us.
 */
export const countRequests = (register: Registry): ((answered: RequestSummary) => void) => {
  const all = new Map<string, Counts>()
  const expose = (name: string, type: string, help: string, valuesOf: (counts: Counts) => readonly object[]): void => {
    const metric = {
      name,
      help,
      type,
      aggregator: 'sum',
      get: async () => ({ name, help, type, values: [...all.values()].flatMap(valuesOf) }),
    }
    register.registerMetric(metric as unknown as Metric)
  }
  expose(COUNT, 'counter', 'Requests, by route, method and status.', countValues)
  expose(TIME, 'histogram', 'Time from the start of a request until its response is ready.', timeValues)
  return ({ route, method, status, milliseconds }) => {
    const key = `${method} ${route}`
    let counts = all.get(key)
    if (counts === undefined) {
      counts = { labels: { route, method }, byStatus: new Map(), byTime: TIMES.map(() => 0), seconds: 0 }
      all.set(key, counts)
    }
    const bucket = TIMES.findIndex((bound) => milliseconds / 1000 <= bound)
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1)
    counts.byTime[bucket] = (counts.byTime[bucket] ?? 0) + 1
    counts.seconds += milliseconds / 1000
  }
}
