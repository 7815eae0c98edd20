import { failMissing, type Projection } from './projection.ts'

/** When a reservation's start and end were due, once each has been recorded. No response shows it. */
export interface ReservationRun {
  readonly sut_id: string
  readonly started: string | null
  readonly ended: string | null
}

export const reservationRunProjection: Projection<ReservationRun, readonly [sut_id: string]> = {
  name: 'reservation_run',
  version: 1,
  key: (event) =>
    event.type === 'ReservationStarted' || event.type === 'ReservationEnded' ? event.data._id : undefined,
  begins: (event) => event.type === 'ReservationStarted',
  evolve: (document, event) => {
    if (event.type === 'ReservationStarted') {
      return { sut_id: event.data.sut_id, started: event.data.due, ended: null }
    }
    // A reservation that ran when the schedule began has an end without a start.
    if (event.type !== 'ReservationEnded') return document ?? failMissing('reservation_run', event)
    return { sut_id: event.data.sut_id, started: document?.started ?? null, ended: event.data.due }
  },
  ended: () => null,
  columns: ({ sut_id }) => [sut_id],
}
