import type { Reservation, ReservationInternal } from '../../../projections/reservation.ts'
import type { Runner } from '../../commands/command-envelope.ts'
import { findHeldReservation } from '../../commands/find-held.ts'
import { keepaliveDue } from '../../domain/calendar/held.ts'
import { epochMillisecondsOf, epochSecondsOf, formatMilliseconds } from '../../domain/values/instant.ts'
import type { Version } from '../../read-models/tables/version.ts'
import type { RouteResponse } from '../protocol/route.ts'
import { documentResponse } from './objects.ts'

/** Adds when a reservation is released unless it is kept alive, in Unix milliseconds. */
const withUntil = (response: RouteResponse, until: number | undefined): RouteResponse =>
  until === undefined
    ? response
    : { ...response, headers: { ...response.headers, 'Keepalive-Until': formatMilliseconds(until) } }

/** Seconds after which a reservation is released unless it is kept alive; undefined if it need not be. */
export const keepaliveOf = ({ internal }: Version): number | undefined =>
  // Most have none, and parsing would cost each read.
  internal.includes('"keepalive":') ? (JSON.parse(internal) as ReservationInternal).keepalive : undefined

/** The response that shows a new reservation. */
export const createdResponse = (version: Version): RouteResponse => {
  const response = documentResponse('reservation', version, true)
  const keepalive = keepaliveOf(version)
  if (keepalive === undefined) return response
  const { start_time, created_at } = JSON.parse(version.document) as Reservation
  const begins = Math.max(epochSecondsOf(start_time) * 1000, epochMillisecondsOf(created_at))
  return withUntil(response, begins + keepalive * 1000)
}

/** The response that shows a reservation as it is now. Without the store, it is not known until when it is kept alive. */
export const keptResponse = async (
  { runner, clock }: { readonly runner: Pick<Runner, 'inspect'>; readonly clock: () => number },
  version: Version,
): Promise<RouteResponse> => {
  const response = documentResponse('reservation', version, false)
  const { sut_id, end_time } = JSON.parse(version.document) as Reservation
  if (version.ended !== null || epochSecondsOf(end_time) * 1000 <= clock()) return response
  const held = await findHeldReservation(runner, sut_id, version.id)
  return withUntil(response, held === undefined || held === 'unavailable' ? undefined : keepaliveDue(held))
}
