/** The decisions of a naive calendar, which the optimized deciders must give too. */

import type { CreateReservation } from '../../../src/domain/reservation/create.ts'
import type { ReservationCommand } from '../../../src/domain/reservation/decide.ts'
import type { SutCommand } from '../../../src/domain/sut/decide.ts'
import { formatWithOffset, type OffsetTime } from '../../../src/domain/values/instant.ts'
import { LISTEN_PORT, type Reserving, SUT_ID } from '../builders.ts'
import { instantOf, nanosecondsOf } from '../nanoseconds.ts'
import {
  type Booking,
  ceiling,
  floor,
  heldUntil,
  inTheWay,
  type Model,
  named,
  nanoseconds,
  neighboursOf,
  refused,
  refusedFor,
  SECOND,
  type Verdict,
} from './bookings.ts'
import { cancel, keep, releaseUnattended } from './kept-model.ts'

const asked = (window: CreateReservation['window'], now: number): readonly [OffsetTime, OffsetTime] => {
  if (window.form === 'explicit') return [window.start, window.end]
  const start = now + window.startIn * 1000
  const end = start + window.duration * 1000
  return [
    { instant: instantOf(nanoseconds(start)), offset: 0 },
    { instant: instantOf(nanoseconds(end)), offset: 0 },
  ]
}

const nextAvailable = (model: Model, start: number, length: number, latest: number, offset: number): unknown => {
  for (let quarter = start; quarter * 1000 <= latest; quarter += 900) {
    const [from, to] = [heldUntil(model, quarter), quarter + length]
    if (from >= to || inTheWay(model, from, to).length > 0) continue
    if (neighboursOf(model, from, to).length > 0) continue
    return { start_time: formatWithOffset(from, offset), end_time: formatWithOffset(to, offset) }
  }
  return null
}

const create = (model: Model, command: CreateReservation, now: number, client: string | null): Verdict => {
  const { actor, user_id, limits } = command
  const [from, to] = asked(command.window, now)
  if (nanosecondsOf(to.instant) <= nanosecondsOf(from.instant)) return refused('window_empty')
  if (nanosecondsOf(to.instant) <= nanoseconds(now)) return refused('window_over')
  const wrong: string[] = []
  if (nanosecondsOf(to.instant) - nanosecondsOf(from.instant) > nanoseconds(limits.windowMax))
    wrong.push('window_too_long')
  if (nanosecondsOf(from.instant) > nanoseconds(now + limits.horizon)) wrong.push('window_too_far')
  const gridded = floor(nanosecondsOf(from.instant))
  const end = ceiling(nanosecondsOf(to.instant))
  if (gridded < floor(nanoseconds(now))) wrong.push('window_in_the_past')
  if (wrong.length > 0) return refusedFor(wrong)
  if (actor.role === 'tester' && actor._id !== user_id) return refused('not_your_reservation')
  if (model.retired) return refused('sut_retired')
  if (!model.active) return refused('sut_inactive')
  const start = heldUntil(model, gridded)
  // The quarter's reservation was released in its last second.
  const last = model.bookings.findLast((booking) => booking.standing === 'released' && booking.end === start)
  const overlapping = start < end || last === undefined ? inTheWay(model, start, end) : [last]
  const neighbours = start < end ? neighboursOf(model, start, end) : []
  const conflicts = [...overlapping, ...neighbours].sort((a, b) => a.start - b.start)
  if (conflicts.length > 0) {
    const next_available = nextAvailable(model, gridded, end - gridded, now + limits.horizon, from.offset)
    const isFree = (to: number) =>
      inTheWay(model, start, to).length === 0 && neighboursOf(model, start, to).length === 0
    let until = start
    while (until < end && isFree(floor(BigInt(until) * SECOND) + 900)) until = floor(BigInt(until) * SECOND) + 900
    const free_until = until > start ? formatWithOffset(until, from.offset) : null
    return refused('reservation_conflict', { conflicts: named(conflicts, neighbours), free_until, next_available })
  }
  const _id = Math.floor(now / 1000).toString(16) + command.random
  const ends = { start_time: formatWithOffset(start, from.offset), end_time: formatWithOffset(end, to.offset) }
  const seconds = command.window.form === 'relative' ? command.window.duration : end - start
  const counted = Math.max(1, Math.ceil(seconds / 900))
  const { keepalive = 0 } = command
  const data = {
    _id,
    sut_id: SUT_ID,
    user_id,
    ...ends,
    listen_port: LISTEN_PORT,
    counted,
    ...(keepalive > 0 && { keepalive }),
  }
  const offsets = { startOffset: from.offset, endOffset: to.offset }
  const bound = actor._id === user_id ? client : null
  const booking = { _id, user_id, start, end, ...offsets, counted, created: now, client: bound, keepalive }
  const apply = () => model.bookings.push({ ...booking, standing: 'made', kept: 0, hasHeartbeats: false })
  return { event: { type: 'ReservationCreated', data }, apply }
}

const bookingOf = (model: Model, _id: string): Booking => {
  const booking = model.bookings.find((candidate) => candidate._id === _id)
  if (booking === undefined) throw new TypeError(`${_id} is not a reservation`)
  return booking
}

const extend = (model: Model, command: Reserving<'ExtendReservation'>, now: number): Verdict => {
  const { actor, _id, user_id, limits } = command
  const booking = bookingOf(model, _id)
  const start = BigInt(booking.start) * SECOND
  const ofEnd = (asked: Reserving<'ExtendReservation'>['end']): readonly [bigint, number] => {
    if ('duration' in asked) return [start + BigInt(asked.duration) * SECOND, booking.endOffset]
    if ('by' in asked) return [BigInt(booking.end + asked.by) * SECOND, booking.endOffset]
    return [nanosecondsOf(asked.instant), asked.offset]
  }
  const [moment, offset] = ofEnd(command.end)
  const stands = booking.standing === 'made' && booking.end * 1000 > now
  const end = ceiling(moment)
  const tooLong = moment - start > nanoseconds(limits.windowMax) && end !== booking.end
  const wrong = [...(end < booking.end ? ['end_not_later'] : []), ...(tooLong ? ['window_too_long'] : [])]
  if (stands && wrong.length > 0) return refusedFor(wrong)
  if (actor.role === 'tester' && actor._id !== user_id) return refused('not_your_reservation')
  if (!stands) return refused('reservation_over')
  if (end === booking.end) return 'already so'
  if (!model.active) return refused('sut_inactive')
  const overlapping = inTheWay(model, booking.end, end)
  const behind = (to: number) => neighboursOf(model, Number.POSITIVE_INFINITY, to)
  const conflicts = [...overlapping, ...behind(end)]
  if (conflicts.length > 0) {
    let until = booking.end
    const isFree = (to: number) => inTheWay(model, booking.end, to).length === 0 && behind(to).length === 0
    while (isFree(until + 900)) until += 900
    const extendable_until = until === booking.end ? null : formatWithOffset(until, offset)
    return refused('reservation_conflict', { conflicts: named(conflicts, behind(end)), extendable_until })
  }
  const data = { _id, sut_id: SUT_ID, user_id, end_time: formatWithOffset(end, offset) }
  const apply = () => {
    booking.counted += (end - booking.end) / 900
    booking.end = end
    booking.endOffset = offset
  }
  return { event: { type: 'ReservationExtended', data }, apply }
}

const shorten = (
  model: Model,
  { actor, _id, user_id, end: asked }: Reserving<'ShortenReservation'>,
  now: number,
): Verdict => {
  const booking = bookingOf(model, _id)
  const stands = booking.standing === 'made' && booking.end * 1000 > now
  const end = ceiling(nanosecondsOf(asked.instant))
  if (stands && nanosecondsOf(asked.instant) <= nanoseconds(now)) return refused('end_not_later_than_now')
  if (stands && end > booking.end) return refused('end_not_earlier')
  if (stands && end <= booking.start) return refused('window_empty')
  if (actor.role === 'tester' && actor._id !== user_id) return refused('not_your_reservation')
  if (!stands) return refused('reservation_over')
  if (end === booking.end) return 'already so'
  const data = { _id, sut_id: SUT_ID, user_id, end_time: formatWithOffset(end, asked.offset) }
  const apply = () => {
    booking.counted = Math.min(booking.counted, Math.ceil((end - booking.start) / 900))
    booking.end = end
    booking.endOffset = asked.offset
  }
  return { event: { type: 'ReservationShortened', data }, apply }
}

const bind = (model: Model, { actor, _id, user_id, client }: Reserving<'BindReservation'>, now: number): Verdict => {
  const booking = bookingOf(model, _id)
  if (actor.role === 'tester' && actor._id !== user_id) return refused('not_your_reservation')
  if (booking.standing !== 'made' || booking.end * 1000 <= now) return refused('reservation_over')
  if (booking.client === client) return 'already so'
  const apply = () => {
    booking.client = client
  }
  return { event: { type: 'ReservationBound', data: { _id, sut_id: SUT_ID, user_id } }, apply }
}

const unbind = (model: Model, { _id }: Reserving<'UnbindReservation'>, now: number): Verdict => {
  const booking = bookingOf(model, _id)
  const { user_id, client, standing, end } = booking
  if (standing !== 'made' || end * 1000 <= now || client === null) return 'already so'
  const apply = () => {
    booking.client = null
  }
  return { event: { type: 'ReservationUnbound', data: { _id, sut_id: SUT_ID, user_id } }, apply }
}

const retire = (model: Model, now: number): Verdict => {
  if (model.retired) return 'already so'
  const conflicts = named(inTheWay(model, now / 1000, Number.POSITIVE_INFINITY))
  if (conflicts.length > 0) return refused('sut_reserved', { conflicts })
  const apply = () => {
    model.retired = true
  }
  return { event: { type: 'SutRetired', data: { _id: SUT_ID, listen_port: LISTEN_PORT } }, apply }
}

const activate = (model: Model, is_active: boolean): Verdict => {
  if (model.retired) return refused('sut_retired')
  if (model.active === is_active) return 'already so'
  const apply = () => {
    model.active = is_active
  }
  return { event: { type: 'SutUpdated', data: { _id: SUT_ID, is_active } }, apply }
}

const turnAround = (model: Model, turnaround: number): Verdict => {
  if (model.retired) return refused('sut_retired')
  if (model.turnaround === turnaround) return 'already so'
  const apply = () => {
    model.turnaround = turnaround
  }
  return { event: { type: 'SutUpdated', data: { _id: SUT_ID, turnaround } }, apply }
}

/**
 * The model's decision on a command from a client, if its address is known. Of the SUT commands, it supports setting
 * `is_active` or `turnaround`, and retiring.
 */
export const verdictOn = (
  model: Model,
  command: ReservationCommand | SutCommand,
  now: number,
  client: string | null = null,
): Verdict => {
  if (command.type === 'CreateReservation') return create(model, command, now, client)
  if (command.type === 'BindReservation') return bind(model, command, now)
  if (command.type === 'UnbindReservation') return unbind(model, command, now)
  if (command.type === 'KeepReservation') return keep(bookingOf(model, command._id), command, now)
  if (command.type === 'ReleaseUnattended') return releaseUnattended(bookingOf(model, command._id), now)
  if (command.type === 'CancelReservation') return cancel(bookingOf(model, command._id), command, now)
  if (command.type === 'ExtendReservation') return extend(model, command, now)
  if (command.type === 'ShortenReservation') return shorten(model, command, now)
  if (command.type === 'RetireSut') return retire(model, now)
  if (command.type === 'UpdateSut' && command.values.is_active !== undefined)
    return activate(model, command.values.is_active)
  if (command.type === 'UpdateSut' && command.values.turnaround !== undefined)
    return turnAround(model, command.values.turnaround)
  throw new TypeError(`the model does not know ${command.type}`)
}
