import { failMissing, idOfChanged, type Projection } from './projection.ts'

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

export const seriesProjection: Projection<Series> = {
  name: 'series',
  version: 2,
  key: idOfChanged('series'),
  begins: (event) => event.type === 'ReservationSeriesCreated',
  evolve: (row, event) => {
    if (event.type !== 'ReservationSeriesCreated') return row ?? failMissing('series', event)
    const { _id, sut_id, user_id, start_time, end_time, rrule, time_zone, count } = event.data
    const created_at = event.metadata.time
    return {
      document: { _id, created_at, sut_id, user_id, start_time, end_time, rrule, time_zone, count },
      internal: {},
    }
  },
}
