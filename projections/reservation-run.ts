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
  key: ({ type, data }) => (type === 'ReservationStarted' || type === 'ReservationEnded' ? data._id : undefined),
  begins: (event) => event.type === 'ReservationStarted',
  evolve: (document, event) => {
    if (event.type === 'ReservationStarted') {
      return { sut_id: event.data.sut_id, started: event.data.due, ended: null }
    }
    // A reservation that ran when the schedule began has an end without a start.
    if (event.type !== 'ReservationEnded') return document ?? failMissing('reservation_run', event)
    return { sut_id: event.data.sut_id, started: document?.started ?? null, ended: event.data.due }
  },
  columns: ({ sut_id }) => [sut_id],
}

/** The seconds after which a reservation is released unless it is kept alive. Most have none. No document shows it. */
export interface ReservationKeepalive {
  readonly sut_id: string
  readonly keepalive: number
}

/** `isKept` is false for the event that made the reservation. */
export type ReservationKeepaliveColumns = readonly [sut_id: string, keepalive: number, isKept: boolean]

/**
 * Each ReservationKept makes a version that shows the same: histories find it there. When it was last kept alive is in
 * the state of its SUT.
 */
export const reservationKeepaliveProjection: Projection<ReservationKeepalive, ReservationKeepaliveColumns> = {
  name: 'reservation_keepalive',
  version: 1,
  key: (event) => {
    if (event.type === 'ReservationCreated') return event.data.keepalive === undefined ? undefined : event.data._id
    return event.type === 'ReservationKept' ? event.data._id : undefined
  },
  begins: (event) => event.type === 'ReservationCreated',
  evolve: (document, event) => {
    if (event.type !== 'ReservationCreated') return document ?? failMissing('reservation_keepalive', event)
    return { sut_id: event.data.sut_id, keepalive: event.data.keepalive ?? 0 }
  },
  columns: ({ sut_id, keepalive }, { type }) => [sut_id, keepalive, type === 'ReservationKept'],
}
