import type { Recorded } from '../src/domain/event.ts'
import type { OfflineCause } from '../src/domain/events/monitoring.ts'
import type { MonitoringStatus } from '../src/domain/monitoring/status.ts'
import { epochMillisecondsOf } from '../src/domain/values/instant.ts'
import type { Projection } from './projection.ts'
import { monitoredAfter } from './sut.ts'

/** What was known of a SUT from an event on. */
export interface SutStatus {
  readonly status: MonitoringStatus
  /** Why it is offline; null if it is not. */
  readonly cause: OfflineCause | null
}

/** The cause is empty where there is none, the event's time in Unix milliseconds. */
export type SutStatusColumns = readonly [status: MonitoringStatus, cause: OfflineCause | '', time: number]

const INITIAL: SutStatus = { status: 'disabled', cause: null }

const evolve = (document: SutStatus | undefined, event: Recorded): SutStatus => {
  const before = document ?? INITIAL
  const status = monitoredAfter(before.status, event)
  if (status === undefined) return before
  return { status, cause: event.type === 'SutWentOffline' ? event.data.cause : null }
}

/** Its versions are the outages of a SUT, and when nothing was known of it. */
export const sutStatusProjection: Projection<SutStatus, SutStatusColumns> = {
  name: 'sut_status',
  version: 1,
  key: (event) => {
    switch (event.type) {
      case 'SutCreated':
      case 'SutUpdated':
      case 'SutRetired':
      case 'SutMonitoringEnabled':
      case 'SutMonitoringDisabled':
      case 'SutWentOnline':
      case 'SutWentOffline':
        return event.data._id
      default:
        return undefined
    }
  },
  begins: (event) => event.type === 'SutCreated',
  evolve,
  ended: () => null,
  columns: ({ status, cause }, event) => [status, cause ?? '', epochMillisecondsOf(event.metadata.time)],
}
