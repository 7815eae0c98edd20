import * as E from 'fp-ts/lib/Either.js'
import { Registry } from 'prom-client'
import { get, overseers } from '../../protocol/declaration.ts'
import type { Parts } from '../parts.ts'
import { type Measured, type MeasuredByLabel, registerGauges } from './gauges.ts'
import {
  feedMeasures,
  gatewayMeasures,
  instrumentsIn,
  logMeasures,
  requestMeasures,
  timedMeasures,
} from './measures.ts'

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
    /** Starts exposing the gauges. */
    registerGauges: (gauges: readonly (Measured | MeasuredByLabel)[]): void => registerGauges(register, gauges),
    /** In the Prometheus text format. */
    text: async (): Promise<string> => `${await register.metrics()}\n${await others()}`.trimEnd().concat('\n'),
  }
}
export type Metrics = ReturnType<typeof makeMetrics>

export const readMetrics = get('/metrics', {
  id: 'readMetrics',
  summary: 'Read the metrics (Prometheus)',
  roles: overseers,
  tokenScope: 'metrics',
  mediaType: METRICS_MEDIA_TYPE,
  isAlwaysOpen: true,
  answer: { type: 'string' },
  handler: async ({ metrics }: Parts) => E.right({ status: 200, body: await metrics.text() }),
})
