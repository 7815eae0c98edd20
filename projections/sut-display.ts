import type { Projection } from './projection.ts'

/** Recorded SUT fields that responses omit. Histories show them. */
export interface SutDisplay {
  readonly rdp_height?: number
  readonly rdp_width?: number
  /** Seconds between probes; absent while the SUT is not monitored. */
  readonly monitoring_interval?: number
}

export const sutDisplayProjection: Projection<SutDisplay> = {
  name: 'sut_display',
  version: 2,
  key: (event) => {
    switch (event.type) {
      case 'SutMonitoringEnabled':
      case 'SutMonitoringDisabled':
        return event.data._id
      case 'SutCreated':
      case 'SutUpdated': {
        const { _id, rdp_height, rdp_width } = event.data
        return rdp_height === undefined && rdp_width === undefined ? undefined : _id
      }
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
    const { rdp_height = document?.rdp_height, rdp_width = document?.rdp_width } = event.data
    return {
      ...document,
      ...(rdp_height !== undefined && { rdp_height }),
      ...(rdp_width !== undefined && { rdp_width }),
    }
  },
  ended: () => null,
}
