import type * as t from 'io-ts'
import { oneOf } from '../codec/codec.ts'
import { monitoringStream } from '../values/ids.ts'
import { declare } from './declaration.ts'
import { assignedId } from './fields.ts'

/** Why a SUT does not count as online. */
export const OFFLINE_CAUSES = [
  'refused',
  'timed_out',
  'unreachable',
  'unknown_host',
  'wrong_greeting',
  'password_refused',
  'locked_out',
  'no_security_type',
  'in_use',
  'refused_by_server',
] as const
export const OfflineCause = oneOf(...OFFLINE_CAUSES)
export type OfflineCause = t.TypeOf<typeof OfflineCause>

/** What kept a probe of a SUT that is online from looking further. */
export const OnlineCause = oneOf('no_password')
export type OnlineCause = t.TypeOf<typeof OnlineCause>

const byProbes = {
  object: 'sut',
  isIn: (stream: string, { _id }: { readonly _id: string }) => stream === monitoringStream(_id),
  by: ['monitor'],
} as const

export const monitoringEvents = {
  /** Changes that probes found, in a stream of their own: probes must not race with reservations. */
  SutWentOnline: declare({
    ...byProbes,
    members: { _id: assignedId },
    optional: { cause: OnlineCause },
    guide: 'a probe reached a monitored SUT | `cause`: `no_password` if Berth has no password to look further',
  }),
  SutWentOffline: declare({
    ...byProbes,
    members: { _id: assignedId, cause: OfflineCause },
    guide: 'three probes in a row did not, or have another cause | `cause`',
  }),
} as const
