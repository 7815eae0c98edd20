import type { Reservation } from '../../../projections/reservation.ts'
import type { Logged } from '../../domain/event.ts'
import { failure, type OverCause } from '../../domain/failure.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import type { Views } from '../../read-models/views.ts'
import type { User } from '../../users/user.ts'
import type { Refusal } from '../protocol/problem.ts'
import type { UserNames } from './user-names.ts'

interface OverDependencies {
  readonly views: Pick<Views, 'newest' | 'log' | 'stored'>
  readonly store: Pick<EventStore, 'at'>
  readonly nameOf: UserNames
}

/** Refuses what cannot be done with a reservation that is over or cancelled, and says how it ended. */
export type ExplainOver = (id: string, reader: Pick<User, '_id' | 'role'>) => Promise<Refusal>

const SENTENCES: Readonly<Record<OverCause, (name: string) => string>> = {
  ended: () => 'The reservation has ended.',
  released: (name) => `The reservation has been released${name}.`,
  keepalive: () => 'The reservation has been released because nobody kept it alive.',
  unused: () => 'The reservation has been released because nobody connected to the machine.',
  cancelled: (name) => `The reservation has been cancelled${name}.`,
}

export const makeExplainOver = ({ views, store, nameOf }: OverDependencies): ExplainOver => {
  /** The event that ended a reservation before its time. */
  const endingOf = async (id: string): Promise<Logged | undefined> => {
    const version = views.newest('reservation', id)
    const log = version && (views.log() ?? views.stored()?.log)
    const position = version && log?.storePositionAt(version.position)
    return position === undefined ? undefined : store.at(position)
  }

  return async (id, reader) => {
    const version = views.newest('reservation', id)
    const ended = version?.ended ?? null
    const event = ended === null ? undefined : await endingOf(id)
    const ofService = event?.type === 'ReservationReleased' ? event.data.cause : undefined
    const cause = ofService ?? (ended === 'released' || ended === 'cancelled' ? ended : 'ended')
    const { user_id } = JSON.parse(version?.document ?? '{}') as Partial<Reservation>
    // Testers read the history of their own reservations only.
    const mayKnow = reader.role !== 'tester' || reader._id === user_id
    const by = mayKnow && cause !== 'ended' && ofService === undefined ? (event?.metadata.actor ?? null) : null
    const detail = SENTENCES[cause](by === null ? '' : ` by ${nameOf(by)}`)
    return failure(cause === 'cancelled' ? 'reservation_cancelled' : 'reservation_over', detail, {
      help: { cause, by },
    })
  }
}
