import type { Projection } from './projection.ts'

/** A SUT's port, from its assignment, before the SUT exists, until its release. Its versions are the port's history. */
export interface ListenPort {
  readonly listen_port: number | null
}

export const listenPortProjection: Projection<ListenPort> = {
  name: 'listen_port',
  version: 2,
  key: ({ type, data }) => (type === 'ListenPortAssigned' || type === 'ListenPortReleased' ? data.sut_id : undefined),
  begins: (event) => event.type === 'ListenPortAssigned',
  evolve: (_, { type, data }) => ({
    document: { listen_port: type === 'ListenPortAssigned' ? data.listen_port : null },
    internal: {},
  }),
  ended: (event) => (event.type === 'ListenPortReleased' ? 'released' : null),
}
