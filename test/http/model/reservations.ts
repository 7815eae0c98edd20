/** The model of reservations. The verdicts come from test/domain/calendar/calendar-model.ts, a list of intervals. */

import type { RequestedWindow } from '../../../src/domain/calendar/window.ts'
import type { Actor } from '../../../src/domain/decider.ts'
import { formatWithOffset } from '../../../src/domain/values/instant.ts'
import type { Reserving } from '../../domain/builders.ts'
import type { Booking, Model as Calendar, Verdict } from '../../domain/calendar/bookings.ts'
import { verdictOn } from '../../domain/calendar/calendar-model.ts'
import { keptUntil } from '../../domain/calendar/kept-model.ts'
import {
  checkedId,
  type Expected,
  isBehind,
  type Model,
  type Refused,
  record,
  refused,
  type Shown,
  type Sut,
  shown,
} from './model.ts'
import { quotaRefusal } from './quotas.ts'

const HOUR = 3_600_000
/** All requests of a story come from one address. */
const HERE = 'here'
/** Short, so that random stories reach them. */
export const LIMITS = { windowMax: 3 * HOUR, horizon: 5 * HOUR }

export const textOf = (sut: Sut, booking: Booking): string => {
  const stamp = sut.stamps.get(booking._id)
  return JSON.stringify({
    _id: booking._id,
    created_at: new Date(stamp?.created ?? 0).toISOString(),
    updated_at: new Date(stamp?.updated ?? 0).toISOString(),
    start_time: formatWithOffset(booking.start, booking.startOffset),
    end_time: formatWithOffset(booking.end, booking.endOffset),
    user_id: booking.user_id,
    sut_id: sut._id,
    listen_port: sut.listen_port,
  })
}

/** Until when a reservation is kept alive, if it has to be. */
const untilOf = (booking: Booking): Pick<Shown, 'until'> =>
  booking.keepalive === 0 ? {} : { until: new Date(keptUntil(booking)).toISOString() }

/** The ids of all reservations, the oldest first. */
export const reservationIds = ({ log }: Model): readonly string[] =>
  log.flatMap((line) => (line.startsWith('ReservationCreated ') ? [line.split(' ')[1] as string] : []))

/** The expected list: all reservations that are not cancelled, newest first. */
export const standingReservations = (model: Model): readonly string[] =>
  reservationIds(model)
    .map((id) => findReservation(model, id))
    .flatMap((found) => (found && found.booking.standing !== 'cancelled' ? [textOf(found.sut, found.booking)] : []))
    .toReversed()

export interface Found {
  readonly sut: Sut
  readonly booking: Booking
}

export const findReservation = (model: Model, id: string): Found | undefined => {
  for (const sut of model.suts) {
    const booking = sut.calendar.bookings.find(({ _id }) => _id === id)
    if (booking !== undefined) return { sut, booking }
  }
  return undefined
}

export interface Wish {
  readonly actor: Actor
  readonly user_id: string
  readonly userExists: boolean
  readonly window: RequestedWindow
  readonly isBeyondQuota: boolean
  readonly keepalive?: number | undefined
}

/** A calendar without reservations: that of a SUT that there is not. */
export const EMPTY: Calendar = { bookings: [], active: true, retired: false, turnaround: 0 }

/** What a calendar says to a creation. `now` is in Unix milliseconds. */
export const verdictOnCreation = (calendar: Calendar, wish: Wish, now: number, random = ''): Verdict =>
  verdictOn(calendar, { type: 'CreateReservation', sut_id: '', limits: LIMITS, random, ...wish }, now, HERE)

/** Whether a reservation is asked to be beyond the quota by somebody who may not. */
const isForbidden = (actor: Actor, isBeyondQuota: boolean): boolean => isBeyondQuota && actor.role !== 'administrator'

/** What is refused on any SUT: a window by itself, and who asks. */
export const refusalOfWish = (model: Model, sut: Sut | undefined, wish: Wish, notBefore = 0): Expected | undefined => {
  if (sut !== undefined && isBehind(model, sut.time)) return refused('clock_behind')
  const verdict = verdictOnCreation(EMPTY, wish, Math.max(model.clock, notBefore, sut?.time ?? 0))
  if (verdict !== 'already so' && 'code' in verdict) return refused(verdict.code)
  return isForbidden(wish.actor, wish.isBeyondQuota) ? refused('forbidden') : undefined
}

const secondsOf = (time: string): number => Date.parse(time) / 1000

/** The refusal by a quota of what an event records. */
const exceeding = (
  model: Model,
  { data }: { readonly data: object },
  isBeyondQuota: boolean,
  now: number,
): Refused | undefined => {
  const { _id, user_id, start_time, end_time } = data as Readonly<Record<string, string>>
  if (isBeyondQuota || user_id === undefined || end_time === undefined) return undefined
  const start = start_time === undefined ? findReservation(model, `${_id}`)?.booking.start : secondsOf(start_time)
  const counted = 'counted' in data ? Number(data.counted) : 0
  const window = { user_id, start: start ?? 0, end: secondsOf(end_time), counted }
  return quotaRefusal(model, start_time === undefined ? { ...window, _id: `${_id}` } : window, now)
}

const exempt = ({ people }: Model, id: string, isBeyondQuota: boolean): void => {
  if (isBeyondQuota) people.exempt.add(id)
  else people.exempt.delete(id)
}

/**
 * Books what a verdict allows, under an id that the service has assigned. Returns the position of its event.
 *
 * @param time Unix milliseconds
 */
export const book = (model: Model, sut: Sut, wish: Wish, id: string, time: number) => {
  const verdict = verdictOnCreation(sut.calendar, wish, time, checkedId(id, time).slice(8))
  if (verdict === 'already so' || !('apply' in verdict)) throw new Error(`${id} is refused: ${JSON.stringify(verdict)}`)
  verdict.apply()
  sut.time = time
  const position = record(model, sut, 'ReservationCreated', id)
  exempt(model, id, wish.isBeyondQuota)
  sut.stamps.set(id, { created: sut.time, updated: sut.time })
  return { booking: sut.calendar.bookings.at(-1) as Booking, position }
}

/** @param notBefore Unix milliseconds of what is recorded first */
export const reserve = (model: Model, sut: Sut | undefined, wish: Wish, notBefore = 0): Expected => {
  const refusal = refusalOfWish(model, sut, wish, notBefore)
  if (refusal !== undefined) return refusal
  if (sut === undefined) return refused('sut_not_found')
  if (!wish.userExists) return refused('user_not_found')
  const time = Math.max(model.clock, notBefore, sut.time)
  const verdict = verdictOnCreation(sut.calendar, wish, time)
  if (verdict === 'already so') throw new Error('a creation is never so already')
  if ('code' in verdict) return refused(verdict.code, verdict.help as Refused['help'])
  const exceeded = exceeding(model, verdict.event, wish.isBeyondQuota, time)
  if (exceeded) return exceeded
  const settle = (id: string): Shown => {
    const { booking, position } = book(model, sut, wish, id, time)
    const location = `/api/sut_reservation/${id}`
    return { status: 201, text: textOf(sut, booking), ...untilOf(booking), location, position }
  }
  return { settle, isRecorded: true }
}

export type Change =
  | { readonly type: 'CancelReservation' | 'KeepReservation' }
  | Pick<Reserving<'BindReservation'>, 'type' | 'client'>
  | Pick<Reserving<'ExtendReservation'>, 'type' | 'end' | 'limits'>
  | Pick<Reserving<'ShortenReservation'>, 'type' | 'end'>

/** Refusals of a change that come before who may. */
const EARLY = /^(window_.*|end_not_later.*|end_not_earlier|invalid|not_your_reservation)$/

export const change = (
  model: Model,
  found: Found | undefined,
  actor: Actor,
  requested: Change,
  isBeyondQuota = false,
): Expected => {
  if (found === undefined) return refused('reservation_not_found')
  const { sut, booking } = found
  if (isBehind(model, sut.time)) return refused('clock_behind')
  const { _id, user_id, standing } = booking
  const now = Math.max(model.clock, sut.time)
  const verdict = verdictOn(sut.calendar, { ...requested, actor, _id, user_id }, now)
  const isEarly = verdict !== 'already so' && 'code' in verdict && EARLY.test(verdict.code)
  if (!isEarly && isForbidden(actor, isBeyondQuota)) return refused('forbidden')
  const until = () => (requested.type === 'KeepReservation' ? untilOf(booking) : {})
  const isCancelOfEnded = requested.type === 'CancelReservation' && standing === 'made'
  if (verdict === 'already so' && isCancelOfEnded) return refused('reservation_over')
  if (verdict === 'already so') return shown({ status: 200, text: textOf(sut, booking), ...until() })
  if ('code' in verdict && verdict.code === 'reservation_over' && standing === 'cancelled')
    return refused('reservation_cancelled')
  if ('code' in verdict) return refused(verdict.code, verdict.help as Refused['help'])
  const isExtended = verdict.event.type === 'ReservationExtended'
  const exceeded = isExtended && exceeding(model, verdict.event, isBeyondQuota, now)
  if (exceeded) return exceeded
  const settle = (): Shown => {
    verdict.apply()
    if (isExtended) exempt(model, _id, isBeyondQuota)
    const position = record(model, sut, verdict.event.type, _id)
    const stamp = sut.stamps.get(_id)
    if (stamp !== undefined && requested.type !== 'KeepReservation') stamp.updated = sut.time
    return { status: 200, text: textOf(sut, booking), ...until(), position }
  }
  return { settle, isRecorded: true }
}

/** Binds it to the address from which all requests of a story come. */
export const BIND: Change = { type: 'BindReservation', client: HERE }

export const readReservation = (model: Model, found: Found | undefined): Expected => {
  if (found === undefined) return refused('reservation_not_found')
  if (found.booking.standing === 'cancelled') return refused('reservation_cancelled')
  const { sut, booking } = found
  const isOver = booking.standing !== 'made' || booking.end * 1000 <= model.clock
  return shown({ status: 200, text: textOf(sut, booking), ...(isOver ? {} : untilOf(booking)) })
}
