import type { Actor } from '../../../src/domain/decider.ts'
import { formatWithOffset, type OffsetTime } from '../../../src/domain/values/instant.ts'
import {
  type Booking,
  ceiling,
  floor,
  heldUntil,
  inTheWay,
  named,
  neighboursOf,
} from '../../domain/calendar/bookings.ts'
import { nanosecondsOf } from '../../domain/nanoseconds.ts'
import {
  checkedId,
  type Expected,
  isBehind,
  type Model,
  type NewSeries,
  record,
  refused,
  type Series,
  type Shown,
  type Sut,
  shown,
} from './model.ts'
import { type Asked, seriesRefusal } from './quotas.ts'
import { findReservation, isForbidden, LIMITS, textOf } from './reservations.ts'
import type { Rhythm } from './steps.ts'

/** The model of series: windows at a fixed distance, each looked for in a list of intervals. */

const HERE = 'here'

/** Zones in which no clock changes during a story, and their minutes east of UTC. */
export const ZONES = [
  ['UTC', 0],
  ['Asia/Kathmandu', 345],
  ['America/St_Johns', -150],
] as const

export interface SeriesWish {
  readonly actor: Actor
  readonly user_id: string
  readonly userExists: boolean
  readonly isBeyondQuota: boolean
  readonly start: OffsetTime
  readonly end: OffsetTime
  readonly rhythm: Rhythm
  readonly rrule: string
}

const all = (of: string, n: number): string => Array.from({ length: n }, (_, each) => each).join(of)

/** The rule of a rhythm: every hour or every half hour, on the clock of its zone. */
export const ruleOf = ({ instant }: OffsetTime, { minutes, zone, end }: Rhythm): string => {
  const seconds = Math.floor(Number(nanosecondsOf(instant) / 1_000_000_000n))
  const minute = (Math.floor(seconds / 60) + ZONES[zone][1] + 24 * 60) % 60
  const last = new Date((seconds + (end.until ?? 0) * minutes * 60) * 1000)
  const until = last.toISOString().replace(/[-:]|\.\d+/g, '')
  const hourly = `FREQ=DAILY;BYHOUR=${all(',', 24)};BYMINUTE=${minute}`
  const rule = minutes === 60 ? hourly : `${hourly},${(minute + 30) % 60}`
  if (end.count !== undefined) return `${rule};COUNT=${end.count}`
  return end.until === undefined ? rule : `${rule};UNTIL=${until}`
}

/** A window in whole seconds as asked for, and on the grid. */
interface Slot {
  readonly asked: string
  readonly start: number
  readonly end: number
}

/** The windows, or the code of what is wrong with the rule. */
const slotsOf = ({ start, end, rhythm }: SeriesWish, latest: number): readonly Slot[] | string => {
  const { minutes, zone, end: ends } = rhythm
  const slots: Slot[] = []
  const wanted = ends.count ?? (ends.until === undefined ? Number.POSITIVE_INFINITY : ends.until + 1)
  while (slots.length < wanted) {
    const later = BigInt(slots.length * minutes * 60) * 1_000_000_000n
    const [from, to] = [nanosecondsOf(start.instant) + later, nanosecondsOf(end.instant) + later]
    if (from > BigInt(latest) * 1_000_000n) break
    const asked = formatWithOffset(Number(from / 1_000_000_000n), ZONES[zone][1])
    slots.push({ asked, start: floor(from), end: ceiling(to) })
  }
  if (slots.length === 0 || (Number.isFinite(wanted) && slots.length < wanted)) return 'window_too_far'
  return slots.length < 2 ? 'series_too_short' : slots
}

const areTooClose = (slots: readonly Slot[], turnaround: number): boolean =>
  slots.some(({ end }, n) => end + turnaround > (slots[n + 1]?.start ?? Number.POSITIVE_INFINITY))

const conflictsOf = (sut: Sut, slots: readonly Slot[]) =>
  slots.flatMap(({ asked, start: gridded, end }) => {
    const start = heldUntil(sut.calendar, gridded)
    const last = sut.calendar.bookings.findLast((each) => each.standing === 'released' && each.end === start)
    const overlapping = start < end || last === undefined ? inTheWay(sut.calendar, start, end) : [last]
    const neighbours = start < end ? neighboursOf(sut.calendar, start, end) : []
    const conflicts = [...overlapping, ...neighbours].sort((a, b) => a.start - b.start)
    return named(conflicts, neighbours).map((conflict) => ({ ...conflict, occurrence: asked }))
  })

/** Books every slot, and returns the document of the series. */
const book = (
  model: Model,
  sut: Sut,
  wish: SeriesWish,
  slots: readonly Slot[],
  { _id: id, members: ids }: NewSeries,
) => {
  const { user_id, actor, rhythm, rrule } = wish
  const time = Math.max(model.clock, sut.time)
  const [time_zone, offset] = ZONES[rhythm.zone]
  record(model, sut, 'ReservationSeriesCreated', checkedId(id, time))
  const bookings = slots.map(({ start: gridded, end }, n): Booking => {
    const _id = checkedId(ids[n] ?? '', time)
    const start = heldUntil(sut.calendar, gridded)
    const of = { _id, user_id, start, end, startOffset: offset, endOffset: offset, standing: 'made' } as const
    const counted = Math.ceil((end - start) / 900)
    return {
      ...of,
      counted,
      created: time,
      client: actor._id === user_id ? HERE : null,
      keepalive: 0,
      kept: 0,
      hasHeartbeats: false,
    }
  })
  for (const booking of bookings) {
    record(model, sut, 'ReservationCreated', booking._id)
    sut.calendar.bookings.push(booking)
    sut.stamps.set(booking._id, { created: time, updated: time })
    if (wish.isBeyondQuota) model.people.exempt.add(booking._id)
  }
  const whole = ({ instant }: OffsetTime, up: bigint): string =>
    formatWithOffset(Number((nanosecondsOf(instant) + up) / 1_000_000_000n), offset)
  const fields = { _id: id, created_at: new Date(time).toISOString(), sut_id: sut._id, user_id }
  const window = { start_time: whole(wish.start, 0n), end_time: whole(wish.end, 999_999_999n) }
  const text = JSON.stringify({ ...fields, ...window, rrule, time_zone, count: ids.length }).slice(0, -1)
  model.series.push({ _id: id, sut, user_id, text, members: ids })
  return bookings
}

const answerOf = (id: string, sut: Sut, bookings: readonly Booking[]): string =>
  `{"series_id":"${id}","sut_reservations":[${bookings.map((booking) => textOf(sut, booking)).join()}]}`

/** `askedCode`: what is wrong with the first window by itself. */
export const reserveSeries = (
  model: Model,
  sut: Sut | undefined,
  wish: SeriesWish,
  askedCode: (now: number) => string | undefined,
): Expected => {
  if (sut !== undefined && isBehind(model, sut.time)) return refused('clock_behind')
  const time = Math.max(model.clock, sut?.time ?? 0)
  const wrong = askedCode(time)
  if (wrong !== undefined) return refused(wrong)
  const slots = slotsOf(wish, model.clock + LIMITS.horizon)
  if (typeof slots === 'string') return refused(slots)
  if (areTooClose(slots, 0)) return refused('series_overlaps')
  const { actor, user_id, isBeyondQuota } = wish
  if (actor.role === 'tester' && actor._id !== user_id) return refused('not_your_reservation')
  if (isForbidden(actor, isBeyondQuota)) return refused('forbidden')
  if (sut === undefined) return refused('sut_not_found')
  if (!wish.userExists) return refused('user_not_found')
  if (sut.calendar.retired) return refused('sut_retired')
  if (!sut.calendar.active) return refused('sut_inactive')
  if (areTooClose(slots, sut.calendar.turnaround)) return refused('series_overlaps')
  const conflicts = conflictsOf(sut, slots)
  if (conflicts.length > 0) return refused('reservation_conflict', { conflicts })
  const asked = slots.map(({ start: gridded, end }): Asked => {
    const start = heldUntil(sut.calendar, gridded)
    return { user_id, start, end, counted: Math.ceil((end - start) / 900) }
  })
  const exceeded = isBeyondQuota ? undefined : seriesRefusal(model, asked, time)
  if (exceeded) return exceeded
  const settle = (_: string, __?: string, made?: NewSeries): Shown => {
    if (made?.members.length !== slots.length) throw new Error(`${made?.members.length} of ${slots.length} windows`)
    const text = answerOf(made._id, sut, book(model, sut, wish, slots, made))
    const location = `/api/sut_reservation_series/${made._id}`
    return { status: 201, text, location, position: model.log.length - 1 }
  }
  return { settle, isRecorded: true }
}

const bookingsOf = (model: Model, { members }: Series): readonly Booking[] =>
  members.map((id) => findReservation(model, id)?.booking).filter((booking) => booking !== undefined)

export const cancelSeries = (model: Model, series: Series | undefined, actor: Actor): Expected => {
  if (series === undefined) return refused('series_not_found')
  const { _id, sut } = series
  if (isBehind(model, sut.time)) return refused('clock_behind')
  if (actor.role === 'tester' && actor._id !== series.user_id) return refused('not_your_reservation')
  const now = Math.max(model.clock, sut.time)
  const ahead = bookingsOf(model, series).filter(({ standing, start }) => standing === 'made' && start * 1000 > now)
  if (ahead.length === 0) return shown({ status: 200, text: answerOf(_id, sut, []) })
  const settle = (): Shown => {
    for (const booking of ahead) {
      booking.standing = 'cancelled'
      record(model, sut, 'ReservationCancelled', booking._id)
      const stamp = sut.stamps.get(booking._id)
      if (stamp !== undefined) stamp.updated = sut.time
    }
    return { status: 200, text: answerOf(_id, sut, ahead), position: model.log.length - 1 }
  }
  return { settle, isRecorded: true }
}

const stateOf = ({ standing, start, end }: Booking, now: number): string => {
  if (standing !== 'made') return standing
  if (now < start * 1000) return 'ahead'
  return now < end * 1000 ? 'running' : 'over'
}

export const readSeries = (model: Model, series: Series | undefined): Expected => {
  if (series === undefined) return refused('series_not_found')
  const shownOf = bookingsOf(model, series).map(
    (booking) => `${textOf(series.sut, booking).slice(0, -1)},"state":"${stateOf(booking, model.clock)}"}`,
  )
  return shown({ status: 200, text: `${series.text},"sut_reservations":[${shownOf.join()}]}` })
}
