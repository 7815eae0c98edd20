import type { Reservation } from '../../../projections/reservation.ts'
import type { ListInclusion } from '../../read-models/lists/csv.ts'
import type { Details } from '../../read-models/lists/reservations.ts'
import { type ReservationState, reservationStateOf } from '../../read-models/lists/reservations.ts'
import type { UserNames } from './user-names.ts'

interface AddedMembers {
  readonly user_name?: string
  /** Null if the SUT is outside the scope of the user. */
  readonly sut_name?: string | null
  readonly state?: ReservationState
  /** The end that it would have had without a release. */
  readonly planned_end_time?: string
  /** Null if it belongs to no series. */
  readonly series_id?: string | null
}

/** Adds members to the document of a reservation, as of `now` in Unix milliseconds. */
export const withMembers = (
  document: string,
  details: Details,
  additions: ReadonlySet<ListInclusion | 'cancelled'>,
  now: number,
  nameOf: UserNames,
): string => {
  const reservation = JSON.parse(document) as Reservation
  const names = additions.has('names') && { user_name: nameOf(reservation.user_id), sut_name: details.sutName }
  const state = additions.has('state') && {
    state: reservationStateOf(details, now),
    planned_end_time: details.plannedEnd ?? reservation.end_time,
  }
  const series = additions.has('series') && { series_id: details.seriesId }
  return JSON.stringify({ ...reservation, ...names, ...state, ...series } satisfies Reservation & AddedMembers)
}
