import { failMissing, type Projection } from './projection.ts'

/** A SUT's port, from its assignment, before the SUT exists, until its release. Its versions are the port's history. */
export interface ListenPort {
  readonly listen_port: number | null
}

export const listenPortProjection: Projection<ListenPort> = {
  name: 'listen_port',
  version: 1,
  key: (event) =>
    event.type === 'ListenPortAssigned' || event.type === 'ListenPortReleased' ? event.data.sut_id : undefined,
  begins: (event) => event.type === 'ListenPortAssigned',
  evolve: (document, event) => {
    if (event.type === 'ListenPortAssigned') return { listen_port: event.data.listen_port }
    return document === undefined ? failMissing('listen_port', event) : { listen_port: null }
  },
  ended: (event) => (event.type === 'ListenPortReleased' ? 'released' : null),
}
