import { closed } from '../codec/object-codec.ts'
import { assignedId, listenPort } from './fields.ts'

const ListenPortAssigned = closed('ListenPortAssigned', { listen_port: listenPort, sut_id: assignedId }, {})
const ListenPortReleased = closed('ListenPortReleased', { listen_port: listenPort, sut_id: assignedId }, {})

export const listenPortEvents = { ListenPortAssigned, ListenPortReleased } as const
