/** The part of the naive model that says how reservations are kept alive, cancelled and released. */

import { formatWithOffset } from '../../../src/domain/values/instant.ts'
import { type Reserving, SUT_ID } from '../builders.ts'
import { type Booking, refused, type Verdict } from './bookings.ts'

const release = (booking: Booking, now: number, more: { readonly cause?: 'keepalive' } = {}): Verdict => {
  const { _id, user_id } = booking
  const data = { _id, sut_id: SUT_ID, user_id, ...more }
  let second = booking.start + 1
  while (second * 1000 < now) second++
  const end_time = formatWithOffset(second, booking.endOffset)
  const apply = () => {
    booking.standing = 'released'
    const held = second - Math.max(booking.start, booking.created / 1000)
    booking.counted = Math.min(booking.counted, Math.max(1, Math.ceil(held / 900)))
    booking.end = second
  }
  return { event: { type: 'ReservationReleased', data: { ...data, end_time } }, apply }
}

/** Milliseconds for which it is kept alive: once it has lived for two hours, for a minute at least. */
const keptFor = ({ start, created, kept, keepalive }: Booking): number =>
  kept >= Math.max(start * 1000, created) + 7_200_000 && keepalive < 60 ? 60_000 : keepalive * 1000

/** Milliseconds from when it runs until it is to be released. */
export const keptUntil = (booking: Booking): number =>
  Math.max(booking.start * 1000, booking.created, booking.kept) + keptFor(booking)

export const keep = (booking: Booking, { actor, _id, user_id }: Reserving<'KeepReservation'>, now: number): Verdict => {
  if (actor.role === 'tester' && actor._id !== user_id) return refused('not_your_reservation')
  if (booking.standing !== 'made' || booking.end * 1000 <= now) return refused('reservation_over')
  if (booking.keepalive === 0) return refused('not_kept_alive')
  const hasBegun = booking.start * 1000 <= now && booking.created <= now
  const isByHolder = actor.role !== 'system'
  if (!hasBegun || (booking.hasHeartbeats && !isByHolder)) return 'already so'
  const isFirst = isByHolder && !booking.hasHeartbeats
  if (!isFirst && 2 * (keptUntil(booking) - now) >= keptFor(booking)) return 'already so'
  const apply = () => {
    booking.kept = now
    booking.hasHeartbeats ||= isByHolder
  }
  return { event: { type: 'ReservationKept', data: { _id, sut_id: SUT_ID, user_id } }, apply }
}

export const releaseUnattended = (booking: Booking, now: number): Verdict => {
  const isDue = booking.keepalive > 0 && keptUntil(booking) <= now
  if (!isDue || booking.standing !== 'made' || booking.end * 1000 <= now) return 'already so'
  return release(booking, now, { cause: 'keepalive' })
}

export const cancel = (
  booking: Booking,
  { actor, _id, user_id }: Reserving<'CancelReservation'>,
  now: number,
): Verdict => {
  if (actor.role === 'tester' && actor._id !== user_id) return refused('not_your_reservation')
  if (booking.standing !== 'made' || booking.end * 1000 <= now) return 'already so'
  if (now >= booking.start * 1000) return release(booking, now)
  const apply = () => {
    booking.standing = 'cancelled'
  }
  return { event: { type: 'ReservationCancelled', data: { _id, sut_id: SUT_ID, user_id } }, apply }
}
