import type { Recorded } from '../src/domain/event.ts'
import { countCreated } from '../src/domain/reservation/quota.ts'
import { epochMillisecondsOf, epochSecondsOf } from '../src/domain/values/instant.ts'
import { failMissing, idOfChanged, type Projection } from './projection.ts'

/** A reservation as returned by the API, in its field order. */
export interface Reservation {
  readonly _id: string
  readonly created_at: string
  readonly updated_at: string
  readonly start_time: string
  readonly end_time: string
  readonly user_id: string
  readonly sut_id: string
  readonly listen_port: number
}

/**
 * The window in Unix seconds, the milliseconds from the start to the creation,
 * before which a reservation does not hold its SUT, or 0 if it was made before its start, and what the reservation counts
 * for a quota when it is made. What later versions count follows from the version before.
 */
export type ReservationColumns = readonly [
  sut_id: string,
  user_id: string,
  start: number,
  end: number,
  lateness: number,
  counted: number,
]

const evolve = (document: Reservation | undefined, event: Recorded): Reservation => {
  const updated_at = event.metadata.time
  if (event.type === 'ReservationCreated') {
    const { _id, start_time, end_time, user_id, sut_id, listen_port } = event.data
    return { _id, created_at: updated_at, updated_at, start_time, end_time, user_id, sut_id, listen_port }
  }
  const current = document ?? failMissing('reservation', event)
  switch (event.type) {
    case 'ReservationExtended':
    case 'ReservationShortened':
    case 'ReservationReleased':
      return { ...current, updated_at, end_time: event.data.end_time }
    default:
      return { ...current, updated_at }
  }
}

export const reservationProjection: Projection<Reservation, ReservationColumns> = {
  name: 'reservation',
  version: 6,
  key: idOfChanged('sut_reservation'),
  begins: (event) => event.type === 'ReservationCreated',
  evolve,
  ended: (event) =>
    event.type === 'ReservationCancelled' ? 'cancelled' : event.type === 'ReservationReleased' ? 'released' : null,
  columns: ({ sut_id, user_id, start_time, end_time, created_at }, event) => {
    const start = epochSecondsOf(start_time)
    const lateness = Math.max(epochMillisecondsOf(created_at) - start * 1000, 0)
    const counted = event.type === 'ReservationCreated' ? countCreated(event.data) : 0
    return [sut_id, user_id, start, epochSecondsOf(end_time), lateness, counted]
  },
}

/**
 * Whether a reservation was made or last extended beyond the quota of its holder. Of other reservations, only those that
 * were extended have a document. No response shows it.
 */
interface QuotaExemption {
  readonly user_id: string
  readonly is_exempt: boolean
}

export type QuotaExemptionColumns = readonly [user_id: string, is_exempt: boolean]

export const quotaExemptionProjection: Projection<QuotaExemption, QuotaExemptionColumns> = {
  name: 'quota_exemption',
  version: 1,
  key: (event) => {
    if (event.type === 'ReservationCreated') return event.data.beyond_quota === true ? event.data._id : undefined
    return event.type === 'ReservationExtended' ? event.data._id : undefined
  },
  begins: (event) => event.type === 'ReservationCreated',
  evolve: (document, event) => {
    if (event.type !== 'ReservationCreated' && event.type !== 'ReservationExtended')
      return document ?? failMissing('quota_exemption', event)
    return { user_id: event.data.user_id, is_exempt: event.data.beyond_quota === true }
  },
  columns: ({ user_id, is_exempt }) => [user_id, is_exempt],
}

/** A series as returned by the API, in its field order, without its reservations. */
export interface Series {
  readonly _id: string
  readonly created_at: string
  readonly sut_id: string
  readonly user_id: string
  readonly start_time: string
  readonly end_time: string
  readonly rrule: string
  readonly time_zone: string
  readonly count: number
}

export type SeriesColumns = readonly [sut_id: string, user_id: string]

export const seriesProjection: Projection<Series, SeriesColumns> = {
  name: 'series',
  version: 1,
  key: idOfChanged('series'),
  begins: (event) => event.type === 'ReservationSeriesCreated',
  evolve: (document, event) => {
    if (event.type !== 'ReservationSeriesCreated') return document ?? failMissing('series', event)
    const { _id, sut_id, user_id, start_time, end_time, rrule, time_zone, count } = event.data
    const created_at = event.metadata.time
    return { _id, created_at, sut_id, user_id, start_time, end_time, rrule, time_zone, count }
  },
  columns: ({ sut_id, user_id }) => [sut_id, user_id],
}

/** Which series a reservation belongs to. Only those of a series have a document. No response shows it. */
export interface SeriesMember {
  readonly series_id: string
}

export const seriesMemberProjection: Projection<SeriesMember, readonly [series_id: string]> = {
  name: 'series_member',
  version: 1,
  key: (event) =>
    event.type === 'ReservationCreated' && event.data.series_id !== undefined ? event.data._id : undefined,
  begins: () => true,
  evolve: (document, event) =>
    event.type === 'ReservationCreated' && event.data.series_id !== undefined
      ? { series_id: event.data.series_id }
      : (document ?? failMissing('series_member', event)),
  columns: ({ series_id }) => [series_id],
}
