import type { Reservation } from '../../../projections/reservation.ts'
import { failure, type OverCause } from '../../domain/failure.ts'
import { BEFORE_FIRST } from '../../domain/values/position.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import type { User } from '../../users/user.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { UserNames } from './user-names.ts'

const SENTENCES: Readonly<Record<OverCause, (name: string) => string>> = {
  ended: () => 'The reservation has ended.',
  released: (name) => `The reservation has been released${name}.`,
  keepalive: () => 'The reservation has been released because nobody kept it alive.',
  unused: () => 'The reservation has been released because nobody connected to the machine.',
  cancelled: (name) => `The reservation has been cancelled${name}.`,
}

interface OverParts {
  readonly views: Pick<Views, 'newest' | 'log' | 'stored'>
  readonly store: Pick<EventStore, 'at'>
  readonly nameOf: UserNames
}

/** Refuses what cannot be done with a reservation that is over or cancelled, and says how it ended. */
export const explainOver = async (
  { views, store, nameOf }: OverParts,
  id: string,
  reader: Pick<User, '_id' | 'role'>,
): Promise<Refusal> => {
  const version = views.newest('reservation', id)
  const ended = version?.ended ?? null
  // Of the event that ended it before its time.
  const position =
    ended === null
      ? undefined
      : (views.log() ?? views.stored()?.log)?.storePositionAt(version?.position ?? BEFORE_FIRST)
  const event = position === undefined ? undefined : await store.at(position)
  const ofService = event?.type === 'ReservationReleased' ? event.data.cause : undefined
  const cause = ofService ?? (ended === 'released' || ended === 'cancelled' ? ended : 'ended')
  const { user_id } = JSON.parse(version?.document ?? '{}') as Partial<Reservation>
  // Testers read the history of their own reservations only.
  const mayKnow = reader.role !== 'tester' || reader._id === user_id
  const by = mayKnow && cause !== 'ended' && ofService === undefined ? (event?.metadata.actor ?? null) : null
  const detail = SENTENCES[cause](by === null ? '' : ` by ${nameOf(by)}`)
  const code = cause === 'cancelled' ? 'reservation_cancelled' : 'reservation_over'
  return failure(code, detail, { help: { cause, by } })
}
