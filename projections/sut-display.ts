import type { Projection } from './projection.ts'

/** Recorded SUT fields that responses omit. Only histories show them. */
export interface SutDisplay {
  readonly rdp_height?: number
  readonly rdp_width?: number
}

export const sutDisplayProjection: Projection<SutDisplay> = {
  name: 'sut_display',
  version: 1,
  key: (event) =>
    (event.type === 'SutCreated' || event.type === 'SutUpdated') &&
    (event.data.rdp_height !== undefined || event.data.rdp_width !== undefined)
      ? event.data._id
      : undefined,
  begins: (event) => event.type === 'SutCreated',
  evolve: (document, event) => {
    if (event.type !== 'SutCreated' && event.type !== 'SutUpdated') return document ?? {}
    const { rdp_height = document?.rdp_height, rdp_width = document?.rdp_width } = event.data
    return { ...(rdp_height !== undefined && { rdp_height }), ...(rdp_width !== undefined && { rdp_width }) }
  },
  ended: () => null,
}
