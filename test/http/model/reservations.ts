import type { RequestedWindow } from '../../../src/domain/calendar/window.ts'
import type { Actor } from '../../../src/domain/decider.ts'
import type { BindReservation, ShortenReservation } from '../../../src/domain/reservation/change.ts'
import type { ExtendReservation } from '../../../src/domain/reservation/extend.ts'
import { formatWithOffset } from '../../../src/domain/values/instant.ts'
import type { Booking } from '../../domain/calendar/bookings.ts'
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

/** The model of reservations. The verdicts come from test/domain/calendar/calendar-model.ts, a list of intervals. */

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

/** The expected list: all reservations that are not cancelled, newest first. */
export const standingReservations = (model: Model): readonly string[] =>
  model.log
    .filter((line) => line.startsWith('ReservationCreated '))
    .map((line) => findReservation(model, line.split(' ')[1] ?? ''))
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
  readonly keepalive: number | undefined
}

const EARLY = /^(window_.*|end_not_later.*|end_not_earlier|invalid|not_your_reservation)$/

/** Whether a reservation is asked to be beyond the quota by somebody who may not. */
export const isForbidden = (actor: Actor, isBeyondQuota: boolean): boolean =>
  isBeyondQuota && actor.role !== 'administrator'

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

/** What is wrong with a window by itself at a time, as a code. */
export const faultOf = (window: RequestedWindow, time: number): string | undefined => {
  const actor = { _id: '', role: 'administrator' } as const
  const wish = { actor, user_id: '', userExists: true, isBeyondQuota: false, keepalive: undefined, window }
  const calendar = { bookings: [], active: true, retired: false, turnaround: 0 }
  const command = { type: 'CreateReservation', sut_id: '', limits: LIMITS, random: '', ...wish } as const
  const verdict = verdictOn(calendar, command, time, HERE)
  return verdict !== 'already so' && 'code' in verdict ? verdict.code : undefined
}

/** @param notBefore Unix milliseconds of what is recorded first */
export const reserve = (model: Model, sut: Sut | undefined, wish: Wish, notBefore = 0): Expected => {
  if (sut !== undefined && isBehind(model, sut.time)) return refused('clock_behind')
  const time = Math.max(model.clock, notBefore, sut?.time ?? 0)
  const calendar = sut?.calendar ?? { bookings: [], active: true, retired: false, turnaround: 0 }
  const verdictFor = (random: string) =>
    verdictOn(calendar, { type: 'CreateReservation', sut_id: '', limits: LIMITS, random, ...wish }, time, HERE)
  const verdict = verdictFor('')
  if (verdict !== 'already so' && 'code' in verdict && EARLY.test(verdict.code)) return refused(verdict.code)
  if (isForbidden(wish.actor, wish.isBeyondQuota)) return refused('forbidden')
  if (sut === undefined) return refused('sut_not_found')
  if (!wish.userExists) return refused('user_not_found')
  if (verdict !== 'already so' && 'code' in verdict) return refused(verdict.code, verdict.help as Refused['help'])
  const exceeded = verdict !== 'already so' && exceeding(model, verdict.event, wish.isBeyondQuota, time)
  if (exceeded) return exceeded
  const settle = (id: string): Shown => {
    const made = verdictFor(checkedId(id, time).slice(8))
    if (made !== 'already so' && 'apply' in made) made.apply()
    sut.time = time
    const position = record(model, sut, 'ReservationCreated', id)
    exempt(model, id, wish.isBeyondQuota)
    sut.stamps.set(id, { created: sut.time, updated: sut.time })
    const booking = sut.calendar.bookings.at(-1) as Booking
    const shown = { text: textOf(sut, booking), ...untilOf(booking), location: `/api/sut_reservation/${id}` }
    return { status: 201, ...shown, position }
  }
  return { settle, isRecorded: true }
}

type Change =
  | { readonly type: 'CancelReservation' }
  | { readonly type: 'KeepReservation' }
  | Pick<BindReservation, 'type' | 'client'>
  | Pick<ExtendReservation, 'type' | 'end' | 'limits'>
  | Pick<ShortenReservation, 'type' | 'end'>

const change = (
  model: Model,
  found: Found | undefined,
  actor: Actor,
  requested: Change,
  isBeyondQuota = false,
): Expected => {
  if (found === undefined) return refused('reservation_not_found')
  const { sut, booking } = found
  if (isBehind(model, sut.time)) return refused('clock_behind')
  const { _id, user_id, standing: documentStatus } = booking
  const command = { ...requested, actor, _id, user_id, documentStatus }
  const now = Math.max(model.clock, sut.time)
  const verdict = verdictOn(sut.calendar, command, now)
  const isEarly = verdict !== 'already so' && 'code' in verdict && EARLY.test(verdict.code)
  if (!isEarly && isForbidden(actor, isBeyondQuota)) return refused('forbidden')
  const until = () => (requested.type === 'KeepReservation' ? untilOf(booking) : {})
  if (verdict === 'already so') return shown({ status: 200, text: textOf(sut, booking), ...until() })
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

export const cancel = (model: Model, found: Found | undefined, actor: Actor): Expected =>
  change(model, found, actor, { type: 'CancelReservation' })

export const bind = (model: Model, found: Found | undefined, actor: Actor): Expected =>
  change(model, found, actor, { type: 'BindReservation', client: HERE })

export const keep = (model: Model, found: Found | undefined, actor: Actor): Expected =>
  change(model, found, actor, { type: 'KeepReservation' })

export const extend = (
  model: Model,
  found: Found | undefined,
  actor: Actor,
  end: ExtendReservation['end'],
  isBeyondQuota: boolean,
): Expected => change(model, found, actor, { type: 'ExtendReservation', end, limits: LIMITS }, isBeyondQuota)

export const shorten = (
  model: Model,
  found: Found | undefined,
  actor: Actor,
  end: ShortenReservation['end'],
): Expected => change(model, found, actor, { type: 'ShortenReservation', end })

export const readReservation = (model: Model, found: Found | undefined): Expected => {
  if (found === undefined) return refused('reservation_not_found')
  if (found.booking.standing === 'cancelled') return refused('reservation_cancelled')
  const { sut, booking } = found
  const isOver = booking.standing !== 'made' || booking.end * 1000 <= model.clock
  return shown({ status: 200, text: textOf(sut, booking), ...(isOver ? {} : untilOf(booking)) })
}
