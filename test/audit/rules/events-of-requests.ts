/** Requests that wait. The SUT of the morning log is free from 10:00. */

import type { Event } from '../../../src/domain/event.ts'
import { alice, reservationCreated, wall } from '../../domain/builders.ts'
import { type Entry, idAt, onPort, SUT } from './morning.ts'

export const REQUEST = idAt('06:20', 5)
/** Ids that are offered. */
export const [OFFER, LATER] = [idAt('06:21', 6), idAt('06:21', 7)]
export const ANY_SUT = { match: { os: 'windows' } }

export const requested = (more: object = ANY_SUT, time = '06:20'): Entry => {
  const expires_at = '2030-05-02T06:30:00.000Z'
  const data = { _id: REQUEST, user_id: alice, duration: 3_600, priority: 0, expires_at, ...more }
  return [time, { type: 'ReservationRequested', data } as Event]
}

const ofOffer = (_id: string) => ({ _id: REQUEST, user_id: alice, sut_id: SUT, sut_reservation_id: _id })

export const offered = (_id = OFFER, time = '06:21', more: object = {}): Entry => {
  const window = { start_time: wall('10:00'), end_time: wall('11:00') }
  return [time, { type: 'RequestOffered', data: { ...ofOffer(_id), ...window, ...more } } as Event]
}

export const made = (_id = OFFER, more: object = { sut_request_id: REQUEST }, time = '06:21'): Entry => {
  const { type, data } = onPort(reservationCreated(_id, '10:00', '11:00'))
  return [time, { type, data: { ...data, ...more } } as Event]
}

export const ended = (type: 'RequestGranted' | 'RequestOfferClosed', _id = OFFER): Entry => [
  '06:22',
  { type, data: ofOffer(_id) } as Event,
]

export const kept = (time: string): Entry => [time, { type: 'RequestKept', data: { _id: REQUEST, user_id: alice } }]

export const expired = (time: string, cause?: string): Entry => [
  time,
  { type: 'RequestExpired', data: { _id: REQUEST, user_id: alice, ...(cause !== undefined && { cause }) } } as Event,
]
