import type { DataOf } from '../src/domain/event.ts'
import { failMissing, idOfChanged, type Projection } from './projection.ts'

/** A series as returned by the API, without its reservations. */
export interface Series extends DataOf<'ReservationSeriesCreated'> {
  readonly created_at: string
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
