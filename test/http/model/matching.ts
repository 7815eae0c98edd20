/** The model of requests for any machine: every SUT is asked, and those that could be first are kept. */

import { type Expected, isBehind, log, type Model, refused, type Sut } from './model.ts'
import { LIMITS, reserve, verdictOnCreation, type Wish } from './reservations.ts'

const QUARTER = 900
const DAY = 86_400

/** The rest and the idle days of a SUT that is free, or undefined. */
const rankOf = ({ calendar }: Sut, wish: Wish, now: number): string | undefined => {
  const verdict = verdictOnCreation(calendar, wish, now)
  if (verdict === 'already so' || !('event' in verdict)) return undefined
  const { start_time, end_time } = verdict.event.data as { start_time: string; end_time: string }
  const [start, end] = [Date.parse(start_time) / 1000, Date.parse(end_time) / 1000]
  const held = calendar.bookings.filter(({ standing }) => standing !== 'cancelled')
  const before = held.filter((one) => one.end <= start).map((one) => one.end)
  const after = held.filter((one) => one.start >= end).map((one) => one.start - calendar.turnaround)
  const last = Math.max(...before)
  const ready = calendar.turnaround === 0 ? last : Math.ceil(last / QUARTER) * QUARTER + calendar.turnaround
  const quarter = Math.floor(now / 1000 / QUARTER) * QUARTER
  const from = Math.max(quarter, ready)
  const until = Math.max(end, Math.min((now + LIMITS.horizon) / 1000, ...after))
  const idle = before.length === 0 ? Number.POSITIVE_INFINITY : Math.floor((start - last) / DAY)
  // As text that sorts: the smallest rest, then the most days.
  const rest = until - from - (end - start)
  return `${rest.toFixed(3).padStart(12, '0')} ${Number.isFinite(idle) ? 999_999 - idle : 0}`
}

export const reserveAny = (model: Model, os: string, wish: Wish): Expected => {
  const ofNone = reserve(model, undefined, wish)
  if ('code' in ofNone && ofNone.code !== 'sut_not_found') return ofNone
  if (!wish.userExists) return refused('user_not_found')
  const fitting = model.suts.filter(({ values, calendar }) => !calendar.retired && values.os === os)
  if (fitting.length === 0) return refused('no_sut_matches')
  const ranks = new Map(fitting.map((sut) => [sut, sut.calendar.active ? rankOf(sut, wish, model.clock) : undefined]))
  const [first] = [...ranks.values()].filter((rank) => rank !== undefined).sort()
  if (first === undefined) return refused('no_sut_free')
  const best = fitting.filter((sut) => ranks.get(sut) === first)
  if (best.every(({ time }) => isBehind(model, time)) || isBehind(model, model.requestsTime))
    return refused('clock_behind')
  const ofFirst = reserve(model, best[0], wish, model.requestsTime)
  if ('code' in ofFirst) return ofFirst
  const settle = (id: string, sutId?: string) => {
    const sut = best.find(({ _id }) => _id === sutId)
    if (sut === undefined) throw new Error(`${sutId} is not among ${best.map(({ _id }) => _id).join()}`)
    const expected = reserve(model, sut, wish, model.requestsTime)
    if ('code' in expected) throw new Error(`${sutId} is refused: ${expected.code}`)
    const time = Math.max(model.clock, model.requestsTime, sut.time)
    for (const type of ['ReservationRequested', 'RequestOffered']) log(model, type, 'request', time)
    const shown = expected.settle(id)
    model.requestsTime = time
    log(model, 'RequestGranted', 'request', time)
    return shown
  }
  return { settle, isRecorded: true }
}
