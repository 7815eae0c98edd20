import type { StoreUnavailable } from '../event-store/event-store.ts'
import type { RequestSummary } from '../http/response/request-summary.ts'
import type { Metrics } from '../http/routes/metrics/metrics.ts'
import type { Log, Runtime } from './runtime.ts'

/** Between log lines of one kind. */
const LOG_INTERVAL_MS = 60_000

export type LogUnavailable = (error: StoreUnavailable, requestId: string) => void

/** Logs one kind of warning at most once a minute. @param sinceBoot in milliseconds */
export const makeWarnEveryMinute = ({ warn }: Pick<Log, 'warn'>, sinceBoot: () => number, sentence: string) => {
  let last: number | undefined
  return (facts: object): void => {
    const now = sinceBoot()
    if (last !== undefined && now - last < LOG_INTERVAL_MS) return
    last = now
    warn(facts, sentence)
  }
}

/**
 * Logs why the store was unavailable, once a minute for commands and once for other requests. An outage fails every
 * request, and the responses do not say why.
 *
 * @param sinceBoot in milliseconds
 */
export const makeLogUnavailable = (log: Pick<Log, 'warn'>, sinceBoot: () => number) => {
  const logOnce = (sentence: string): LogUnavailable => {
    const warn = makeWarnEveryMinute(log, sinceBoot, sentence)
    return (error, requestId) => warn({ err: error, request_id: requestId })
  }
  return {
    ofCommand: logOnce('the event store is unavailable; a command was refused'),
    ofRequest: logOnce('the event store is unavailable; a request failed'),
  }
}

/** Hooks through which the parts report to the log and the metrics. */
export const makeReports = (runtime: Runtime, metrics: Metrics) => {
  const unavailable = makeLogUnavailable(runtime.log, runtime.sinceBoot)
  const logNotAccepted = makeWarnEveryMinute(runtime.log, runtime.sinceBoot, 'a connection could not be accepted')
  return {
    onAnswered: (summary: RequestSummary): void => {
      metrics.answered(summary)
      runtime.onAnswered?.(summary)
    },
    onAcceptError: (error: Error): void => logNotAccepted({ err: error }),
    onError: (error: unknown, requestId: string): void =>
      runtime.log.error({ err: error, request_id: requestId }, 'a request failed'),
    onUnavailable: unavailable.ofRequest,
  }
}

export type Reports = ReturnType<typeof makeReports>
