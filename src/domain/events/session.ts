import type * as t from 'io-ts'
import { integer, matching, oneOf, opaqueId } from '../codec/codec.ts'
import { sessionStream } from '../values/ids.ts'
import { declare } from './declaration.ts'
import { assignedId, recordedTime, whole } from './fields.ts'

/** What ended the last connection of a session. `lost`: its end was not observed. */
const SESSION_CAUSES = ['client', 'sut', 'over', 'released', 'barred', 'stopped', 'lost'] as const
export const SessionCause = oneOf(...SESSION_CAUSES)
export type SessionCause = t.TypeOf<typeof SessionCause>

const session = {
  _id: assignedId,
  reservation_id: assignedId,
  sut_id: assignedId,
  user_id: opaqueId,
  instance: matching('instance', /^[0-9a-f]{16}$/, 'must be 16 lower-case hex digits'),
  opened_at: recordedTime,
}

const ofSession = {
  object: 'session',
  isIn: (stream: string, { sut_id }: { readonly sut_id: string }) => stream === sessionStream(sut_id),
  by: ['gateway'],
} as const

export const sessionEvents = {
  /**
   * A period in which a reservation has connections at one instance. In a stream of its own, because it is recorded late.
   */
  SessionOpened: declare({
    ...ofSession,
    assigns: true,
    members: session,
    guide: 'a reservation has its first connection, or one after a minute without | `instance`, `opened_at`',
  }),
  /** `closed_at` is the end of its last connection. The values of a lost session are the last known ones. */
  SessionClosed: declare({
    ...ofSession,
    members: {
      ...session,
      closed_at: recordedTime,
      connections: integer(1, Number.MAX_SAFE_INTEGER),
      bytes_to_sut: whole,
      bytes_from_sut: whole,
      cause: SessionCause,
    },
    guide:
      'that [session](machines.md#sessions) is over | besides `instance` and `opened_at`: `closed_at`, `connections`, `bytes_to_sut`, `bytes_from_sut`, `cause`',
  }),
} as const
