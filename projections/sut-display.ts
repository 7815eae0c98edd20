import type { DataOf } from '../src/domain/event.ts'
import { pick } from '../src/domain/values/pick.ts'
import type { Projection } from './projection.ts'

/** Recorded SUT fields that responses omit. Histories show them. */
export interface SutDisplay {
  readonly rdp_height?: number
  readonly rdp_width?: number
  /** Seconds between probes; absent while the SUT is not monitored. */
  readonly monitoring_interval?: number
  /** Seconds between two reservations; absent is 0. */
  readonly turnaround?: number
  /** Seconds after which a reservation that nobody uses is released; absent and 0 are never. */
  readonly release_unused_after?: number
}

export type SutDisplayColumns = readonly [turnaround: number]

const KEPT = ['rdp_height', 'rdp_width', 'turnaround', 'release_unused_after'] as const

/** The fields of an event that it keeps. */
const keptOf = (data: DataOf<'SutUpdated'>): SutDisplay => pick(data, KEPT)

export const sutDisplayProjection: Projection<SutDisplay, SutDisplayColumns> = {
  name: 'sut_display',
  version: 3,
  key: (event) => {
    switch (event.type) {
      case 'SutMonitoringEnabled':
      case 'SutMonitoringDisabled':
        return event.data._id
      case 'SutCreated':
      case 'SutUpdated':
        return Object.keys(keptOf(event.data)).length === 0 ? undefined : event.data._id
      default:
        return undefined
    }
  },
  begins: (event) => event.type === 'SutCreated',
  evolve: (document, event) => {
    if (event.type === 'SutMonitoringEnabled') return { ...document, monitoring_interval: event.data.interval }
    if (event.type === 'SutMonitoringDisabled') {
      const { monitoring_interval: _, ...others } = document ?? {}
      return others
    }
    if (event.type !== 'SutCreated' && event.type !== 'SutUpdated') return document ?? {}
    return { ...document, ...keptOf(event.data) }
  },
  columns: ({ turnaround = 0 }) => [turnaround],
}
