/** The model of series: windows at a fixed distance, each of which the calendar is asked for by itself. */

import { formatWithOffset, type OffsetTime } from '../../../src/domain/values/instant.ts'
import type { Booking } from '../../domain/calendar/bookings.ts'
import { instantOf, nanosecondsOf } from '../../domain/nanoseconds.ts'
import {
  checkedId,
  type Expected,
  isBehind,
  type Model,
  type Refused,
  record,
  refused,
  type Series,
  type Shown,
  type Sut,
  shown,
} from './model.ts'
import { type Asked, seriesRefusal } from './quotas.ts'
import {
  book,
  EMPTY,
  findReservation,
  LIMITS,
  refusalOfWish,
  textOf,
  verdictOnCreation,
  type Wish,
} from './reservations.ts'
import type { Rhythm } from './wishes.ts'

/** Zones in which no clock changes during a story, and their minutes east of UTC. */
export const ZONES = [
  ['UTC', 0],
  ['Asia/Kathmandu', 345],
  ['America/St_Johns', -150],
] as const

const NANOSECONDS = 1_000_000_000n

const wholeSecond = ({ instant, offset }: OffsetTime, up = 0n): string =>
  formatWithOffset(Number((nanosecondsOf(instant) + up) / NANOSECONDS), offset)

export interface SeriesWish extends Wish {
  readonly window: { readonly form: 'explicit'; readonly start: OffsetTime; readonly end: OffsetTime }
  readonly rhythm: Rhythm
  readonly rrule: string
}

const all = (of: string, n: number): string => Array.from({ length: n }, (_, each) => each).join(of)

/** The rule of a rhythm: every hour or every half hour, on the clock of its zone. */
export const ruleOf = ({ instant }: OffsetTime, { minutes, zone, end }: Rhythm): string => {
  const seconds = Number(nanosecondsOf(instant) / NANOSECONDS)
  const minute = (Math.floor(seconds / 60) + ZONES[zone][1] + 24 * 60) % 60
  const last = new Date((seconds + (end.until ?? 0) * minutes * 60) * 1000)
  const until = last.toISOString().replace(/[-:]|\.\d+/g, '')
  const hourly = `FREQ=DAILY;BYHOUR=${all(',', 24)};BYMINUTE=${minute}`
  const rule = minutes === 60 ? hourly : `${hourly},${(minute + 30) % 60}`
  if (end.count !== undefined) return `${rule};COUNT=${end.count}`
  return end.until === undefined ? rule : `${rule};UNTIL=${until}`
}

/** The windows, with the offset of the zone, or the code of what is wrong with the rule. */
const windowsOf = (wish: SeriesWish, latest: number): readonly SeriesWish['window'][] | string => {
  const { minutes, zone, end: ends } = wish.rhythm
  const offset = ZONES[zone][1]
  const windows: SeriesWish['window'][] = []
  const wanted = ends.count ?? (ends.until === undefined ? Number.POSITIVE_INFINITY : ends.until + 1)
  while (windows.length < wanted) {
    const later = BigInt(windows.length * minutes * 60) * NANOSECONDS
    const at = ({ instant }: OffsetTime): OffsetTime => ({ instant: instantOf(nanosecondsOf(instant) + later), offset })
    const [start, end] = [at(wish.window.start), at(wish.window.end)]
    if (nanosecondsOf(start.instant) > BigInt(latest) * 1_000_000n) break
    windows.push({ form: 'explicit', start, end })
  }
  if (windows.length === 0 || (Number.isFinite(wanted) && windows.length < wanted)) return 'window_too_far'
  return windows.length < 2 ? 'series_too_short' : windows
}

/** What a verdict would book, without what was released before it; undefined if it is refused. */
const askedIn = (verdict: ReturnType<typeof verdictOnCreation>): Asked | undefined => {
  if (verdict === 'already so' || 'code' in verdict) return undefined
  const { user_id, start_time, end_time, counted } = verdict.event.data as Readonly<Record<string, string>>
  const at = (time = ''): number => Date.parse(time) / 1000
  return { user_id: `${user_id}`, start: at(start_time), end: at(end_time), counted: Number(counted) }
}

/** Whether windows overlap on the grid, or have not the turnaround between them. */
const areTooClose = (asked: readonly Asked[], turnaround: number): boolean =>
  asked.some(({ end }, n) => end + turnaround > (asked[n + 1]?.start ?? Number.POSITIVE_INFINITY))

const answerOf = (id: string, sut: Sut, bookings: readonly Booking[]): string =>
  `{"series_id":"${id}","sut_reservations":[${bookings.map((booking) => textOf(sut, booking)).join()}]}`

/** Books every window, and returns the answer. */
const settleSeries = (
  model: Model,
  sut: Sut,
  wish: SeriesWish,
  windows: readonly SeriesWish['window'][],
  { _id, members }: Pick<Series, '_id' | 'members'>,
): Shown => {
  const { user_id, rhythm, rrule } = wish
  const [time_zone, offset] = ZONES[rhythm.zone]
  const time = Math.max(model.clock, sut.time)
  record(model, sut, 'ReservationSeriesCreated', checkedId(_id, time))
  const bookings = windows.map((window, n) => book(model, sut, { ...wish, window }, members[n] ?? '', time).booking)
  const fields = { _id, created_at: new Date(time).toISOString(), sut_id: sut._id, user_id }
  const [start, end] = [
    { ...wish.window.start, offset },
    { ...wish.window.end, offset },
  ]
  const ends = { start_time: wholeSecond(start), end_time: wholeSecond(end, NANOSECONDS - 1n) }
  const text = JSON.stringify({ ...fields, ...ends, rrule, time_zone, count: members.length }).slice(0, -1)
  model.series.push({ _id, sut, user_id, text, members })
  const location = `/api/sut_reservation_series/${_id}`
  return { status: 201, text: answerOf(_id, sut, bookings), location, position: model.log.length - 1 }
}

export const reserveSeries = (model: Model, sut: Sut | undefined, wish: SeriesWish): Expected => {
  const ofAnybody: Wish = { ...wish, actor: { _id: '', role: 'administrator' } }
  const ofWindow = refusalOfWish(model, sut, ofAnybody)
  if (ofWindow !== undefined) return ofWindow
  const windows = windowsOf(wish, model.clock + LIMITS.horizon)
  if (typeof windows === 'string') return refused(windows)
  const time = Math.max(model.clock, sut?.time ?? 0)
  const gridded = windows.map((window) => askedIn(verdictOnCreation(EMPTY, { ...ofAnybody, window }, time)) as Asked)
  if (areTooClose(gridded, 0)) return refused('series_overlaps')
  const ofWish = refusalOfWish(model, sut, wish)
  if (ofWish !== undefined) return ofWish
  if (sut === undefined) return refused('sut_not_found')
  if (!wish.userExists) return refused('user_not_found')
  const { calendar } = sut
  if (calendar.retired) return refused('sut_retired')
  if (!calendar.active) return refused('sut_inactive')
  if (areTooClose(gridded, calendar.turnaround)) return refused('series_overlaps')
  const verdicts = windows.map((window) => verdictOnCreation(calendar, { ...wish, window }, time))
  const conflicts = verdicts.flatMap((verdict, n) => {
    if (verdict === 'already so' || !('code' in verdict)) return []
    const occurrence = wholeSecond((windows[n] as SeriesWish['window']).start)
    return ((verdict.help as Refused['help'])?.conflicts ?? []).map((conflict) => ({ ...conflict, occurrence }))
  })
  if (conflicts.length > 0) return refused('reservation_conflict', { conflicts })
  const asked = verdicts.map((verdict) => askedIn(verdict) as Asked)
  const exceeded = wish.isBeyondQuota ? undefined : seriesRefusal(model, asked, time)
  if (exceeded) return exceeded
  return {
    isRecorded: true,
    settle: (_, __, made) => {
      if (made?.members.length !== windows.length)
        throw new Error(`${made?.members.length} of ${windows.length} windows`)
      return settleSeries(model, sut, wish, windows, made)
    },
  }
}

const bookingsOf = (model: Model, { members }: Series): readonly Booking[] =>
  members.map((id) => findReservation(model, id)?.booking).filter((booking) => booking !== undefined)

export const cancelSeries = (model: Model, series: Series | undefined, actor: Wish['actor']): Expected => {
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
