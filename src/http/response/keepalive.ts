import type { ReservationInternal } from '../../../projections/reservation.ts'
import { formatMilliseconds } from '../../domain/values/instant.ts'
import { aliveUntil } from '../../domain/values/keepalive.ts'
import type { Version } from '../../read-models/tables/version.ts'
import type { RouteResponse } from '../protocol/call.ts'
import { documentResponse } from './objects.ts'

/** Responses that show a reservation and, if it has to be kept alive, until when it is. */

/** @param now Unix milliseconds; nothing keeps alive what is over by then */
const withUntil = ({ internal, ended }: Version, response: RouteResponse, now: number): RouteResponse => {
  // Most need not be kept alive, and parsing would cost each read.
  if (ended !== null || !internal.includes('"keepalive":')) return response
  const { keepalive = 0, kept, start, end, lateness } = JSON.parse(internal) as ReservationInternal
  if (end * 1000 <= now) return response
  const until = aliveUntil({ keepalive, began: start * 1000 + lateness, kept: kept?.at ?? 0 })
  return { ...response, headers: { ...response.headers, 'Keepalive-Until': formatMilliseconds(until) } }
}

/** The response that shows a new reservation. A retry gets it as the first request did, also once it is over. */
export const createdResponse = (version: Version): RouteResponse =>
  withUntil(version, documentResponse('reservation', version, true), 0)

/** The response that shows a reservation as it is now. */
export const keptResponse = (version: Version, now: number): RouteResponse =>
  withUntil(version, documentResponse('reservation', version, false), now)
