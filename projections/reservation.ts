import { type DataOf, factsOf, type Recorded } from '../src/domain/event.ts'
import { countCreated, countExtended, countReleased, countShortened } from '../src/domain/reservation/quota.ts'
import { epochMillisecondsOf, epochSecondsOf } from '../src/domain/values/instant.ts'
import type { Milliseconds, Seconds, UnixMilliseconds, UnixSeconds } from '../src/domain/values/units.ts'
import { failMissing, idOfChanged, type Projection, type Row } from './projection.ts'

/** A reservation as returned by the API. */
export interface Reservation
  extends Pick<DataOf<'ReservationCreated'>, '_id' | 'start_time' | 'end_time' | 'user_id' | 'sut_id' | 'listen_port'> {
  readonly created_at: string
  readonly updated_at: string
}

export interface ReservationInternal {
  readonly start: UnixSeconds
  readonly end: UnixSeconds
  /** From the start to the creation, before which it does not hold its SUT; 0 if it was made before its start. */
  readonly lateness: Milliseconds
  /** Quarter-hours that it counts for the quota of its holder, unless it is exempt. */
  readonly counted: number
  /** Whether it was made or last extended beyond that quota. */
  readonly is_exempt: boolean
  readonly recorded: 'nothing' | 'start' | 'end'
  /** Absent if it need not be kept alive. */
  readonly keepalive?: Seconds
  /** When it was last kept alive, and whether its holder ever did that; absent before the first. */
  readonly kept?: { readonly at: UnixMilliseconds; readonly has_heartbeats: boolean }
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

/** What an event changes that no answer shows. `end` is that after it. */
const changesOf = (
  { document, internal }: ReservationRow,
  event: Recorded,
  end: number,
): Partial<ReservationInternal> => {
  const { start, end: former, lateness, counted, recorded, kept } = internal
  switch (event.type) {
    case 'ReservationExtended':
      return {
        counted: countExtended(counted, former, end),
        is_exempt: event.data.beyond_quota === true,
        recorded: recorded === 'end' ? 'start' : recorded,
      }
    case 'ReservationShortened':
      return { counted: countShortened(counted, { start, end }) }
    case 'ReservationReleased':
      return { counted: countReleased(counted, start * 1000 + lateness, end), planned_end: document.end_time }
    case 'ReservationCancelled':
      return { counted: 0 }
    case 'ReservationStarted':
      return { recorded: 'start' }
    case 'ReservationEnded':
      return { recorded: 'end' }
    case 'ReservationKept': {
      const has_heartbeats = kept?.has_heartbeats === true || event.metadata.role !== 'system'
      return { kept: { at: epochMillisecondsOf(event.metadata.time), has_heartbeats } }
    }
    default:
      return {}
  }
}

const evolve = (row: ReservationRow | undefined, event: Recorded): ReservationRow => {
  if (event.type === 'ReservationCreated') return create(event)
  const before = row ?? failMissing('reservation', event)
  const { document, internal } = before
  const end_time = 'end_time' in event.data ? event.data.end_time : document.end_time
  const end = epochSecondsOf(end_time)
  const isShown = factsOf(event.type).changesNothing !== true
  return {
    document: isShown ? { ...document, updated_at: event.metadata.time, end_time } : document,
    internal: { ...internal, end, ...changesOf(before, event, end) },
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
