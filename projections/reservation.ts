import type { DataOf, Recorded } from '../src/domain/event.ts'
import { countCreated, countExtended, countReleased, countShortened } from '../src/domain/reservation/quota.ts'
import { epochMillisecondsOf, epochSecondsOf } from '../src/domain/values/instant.ts'
import type { UnixSeconds } from '../src/domain/values/units.ts'
import { failMissing, idOfChanged, type Projection, type Row } from './projection.ts'

type Created = DataOf<'ReservationCreated'>

/** A reservation as returned by the API. */
export interface Reservation
  extends Pick<Created, '_id' | 'start_time' | 'end_time' | 'user_id' | 'sut_id' | 'listen_port'> {
  readonly created_at: string
  readonly updated_at: string
}

export interface ReservationInternal {
  readonly start: UnixSeconds
  readonly end: UnixSeconds
  /**
   * Milliseconds from the start to the creation, before which it does not hold its SUT; 0 if it was made before its
   * start.
   */
  readonly lateness: number
  /** Quarter-hours that it counts for the quota of its holder, unless it is exempt. */
  readonly counted: number
  /** Whether it was made or last extended beyond that quota. */
  readonly is_exempt: boolean
  /** What the schedule has recorded of it. */
  readonly recorded: 'nothing' | 'start' | 'end'
  /** Seconds after which it is released unless it is kept alive; absent if it need not be. */
  readonly keepalive?: number
  /** When it was last kept alive, in Unix milliseconds, and whether its holder ever did that; absent before the first. */
  readonly kept?: { readonly at: number; readonly has_heartbeats: boolean }
  readonly series_id?: string
  /** Its end before it was released. */
  readonly planned_end?: string
}

type ReservationRow = Row<Reservation, ReservationInternal>

const create = (event: Extract<Recorded, { readonly type: 'ReservationCreated' }>): ReservationRow => {
  const { _id, start_time, end_time, user_id, sut_id, listen_port } = event.data
  const { beyond_quota = false, keepalive, series_id } = event.data
  const created_at = event.metadata.time
  const start = epochSecondsOf(start_time)
  return {
    document: { _id, created_at, updated_at: created_at, start_time, end_time, user_id, sut_id, listen_port },
    internal: {
      ...{ start, end: epochSecondsOf(end_time) },
      lateness: Math.max(epochMillisecondsOf(created_at) - start * 1000, 0),
      ...{ counted: countCreated(event.data), is_exempt: beyond_quota, recorded: 'nothing' },
      ...(keepalive !== undefined && { keepalive }),
      ...(series_id !== undefined && { series_id }),
    },
  }
}

const endAt = (
  { document, internal }: ReservationRow,
  { data, metadata }: { readonly data: { readonly end_time: string }; readonly metadata: Recorded['metadata'] },
  count: (end: number) => Pick<ReservationInternal, 'counted'> & Partial<ReservationInternal>,
): ReservationRow => {
  const end = epochSecondsOf(data.end_time)
  return {
    document: { ...document, updated_at: metadata.time, end_time: data.end_time },
    internal: { ...internal, end, ...count(end) },
  }
}

const evolve = (row: ReservationRow | undefined, event: Recorded): ReservationRow => {
  if (event.type === 'ReservationCreated') return create(event)
  const { document, internal } = row ?? failMissing('reservation', event)
  const { start, end: former, lateness, counted, recorded } = internal
  switch (event.type) {
    case 'ReservationExtended':
      return endAt({ document, internal }, event, (end) => ({
        counted: countExtended(counted, former, end),
        is_exempt: event.data.beyond_quota === true,
        recorded: recorded === 'end' ? 'start' : recorded,
      }))
    case 'ReservationShortened':
      return endAt({ document, internal }, event, (end) => ({ counted: countShortened(counted, { start, end }) }))
    case 'ReservationReleased':
      return endAt({ document, internal }, event, (end) => ({
        counted: countReleased(counted, start * 1000 + lateness, end),
        planned_end: document.end_time,
      }))
    case 'ReservationCancelled':
      return {
        document: { ...document, updated_at: event.metadata.time },
        internal: { ...internal, counted: 0 },
      }
    case 'ReservationStarted':
      return { document, internal: { ...internal, recorded: 'start' } }
    case 'ReservationEnded':
      return { document, internal: { ...internal, recorded: 'end' } }
    case 'ReservationKept': {
      const has_heartbeats = internal.kept?.has_heartbeats === true || event.metadata.role !== 'system'
      const kept = { at: epochMillisecondsOf(event.metadata.time), has_heartbeats }
      return { document, internal: { ...internal, kept } }
    }
    default:
      return { document: { ...document, updated_at: event.metadata.time }, internal }
  }
}

export const reservationProjection: Projection<Reservation, ReservationInternal> = {
  name: 'reservation',
  version: 7,
  key: idOfChanged('sut_reservation', ['ReservationStarted', 'ReservationEnded', 'ReservationKept']),
  begins: (event) => event.type === 'ReservationCreated',
  evolve,
  ended: (event) =>
    event.type === 'ReservationCancelled' ? 'cancelled' : event.type === 'ReservationReleased' ? 'released' : null,
}
