import { LRUCache } from 'lru-cache'
import type { StoreUnavailable } from '../../event-store/event-store.ts'
import type { RequestSummary } from '../../http/response/request-summary.ts'
import type { Base } from './base.ts'
import type { Log } from './runtime.ts'

/** Between log lines of one kind. */
const LOG_INTERVAL_MS = 60_000
/** Maximum kinds whose last line is kept, where they are told apart by a SUT or reservation. */
const KINDS_MAX = 10_000

/** Logs a warning at most once a minute for each key. @param clock milliseconds */
export const makeWarnOnce = ({ warn }: Pick<Log, 'warn'>, clock: () => number) => {
  const logged = new LRUCache<string, true>({
    max: KINDS_MAX,
    ttl: LOG_INTERVAL_MS,
    ttlResolution: 0,
    perf: { now: clock },
  })
  return (facts: object, sentence: string, key = sentence): void => {
    if (logged.get(key)) return
    logged.set(key, true)
    warn(facts, sentence)
  }
}

/** Hooks through which the parts report to the log and the metrics. */
export const makeReports = ({
  log,
  sinceBoot,
  metrics,
  onAnswered,
}: Pick<Base, 'log' | 'sinceBoot' | 'metrics' | 'onAnswered'>) => {
  const warnOnce = makeWarnOnce(log, sinceBoot)
  return {
    onAnswered: (summary: RequestSummary): void => {
      metrics.answered(summary)
      onAnswered?.(summary)
    },
    onAcceptError: (error: Error): void => warnOnce({ err: error }, 'a connection could not be accepted'),
    onError: (error: unknown, requestId: string): void =>
      log.error({ err: error, request_id: requestId }, 'a request failed'),
    /** An outage fails every request, and the responses do not say why. */
    onUnavailable: (error: StoreUnavailable, requestId: string): void =>
      warnOnce({ err: error, request_id: requestId }, 'the event store is unavailable; a request failed'),
    onCommandUnavailable: (error: StoreUnavailable, requestId: string): void =>
      warnOnce({ err: error, request_id: requestId }, 'the event store is unavailable; a command was refused'),
  }
}

export type LoggedReports = ReturnType<typeof makeReports>
