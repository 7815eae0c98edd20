import assert from 'node:assert/strict'
import * as E from 'fp-ts/lib/Either.js'
import { findEndingAfter } from '../../../src/domain/calendar/calendar.ts'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import { type ReservationCommand, reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { type SutCommand, sutDecider } from '../../../src/domain/sut/decide.ts'
import type { SutState } from '../../../src/domain/sut/state.ts'
import { clock, SUT_ID, sutCreated } from '../builders.ts'
import { type Decision, recordedAt } from '../given-when-then.ts'
import { instantOf } from '../nanoseconds.ts'
import type { Step, Wish } from './arbitrary-steps.ts'
import type { Model } from './bookings.ts'
import { verdictOn } from './calendar-model.ts'

const HOUR = 3_600_000
const GATEWAY = { _id: 'gateway', role: 'system' } as const
/** Short, so that random stories reach the limits. */
const limits = { windowMax: 3 * HOUR, horizon: 5 * HOUR }

const commandOf = (
  wish: Wish,
  model: Model,
  clockNow: number,
  n: number,
): ReservationCommand | SutCommand | undefined => {
  const { type, start, length, actor, user_id, offsets } = wish
  const moment = (milliseconds: number, nanosecond: boolean, offset: number) => ({
    instant: instantOf(BigInt(milliseconds) * 1_000_000n + (nanosecond ? 1n : 0n)),
    offset,
  })
  if (type === 'switch') return { type: 'UpdateSut', values: { is_active: wish.on } }
  if (type === 'turn around') return { type: 'UpdateSut', values: { turnaround: wish.turnaround } }
  if (type === 'retire') return { type: 'RetireSut' }
  if (type === 'reserve' || type === 'reserve from now') {
    // Requested times are whole seconds, whatever the clock's milliseconds.
    const from = Math.floor(clockNow / 900_000) * 900_000 + start * 1000
    const ends = {
      start: moment(from, false, offsets[0]),
      end: moment(from + length * 1000, wish.nanosecond, offsets[1]),
    }
    const relative = { form: 'relative' as const, startIn: Math.max(start, 0), duration: Math.max(length, 1) }
    const window = type === 'reserve' ? { form: 'explicit' as const, ...ends } : relative
    const random = n.toString(16).padStart(16, '0')
    const whose = { actor, sut_id: SUT_ID, user_id, userExists: true, keepalive: wish.keepalive }
    return { type: 'CreateReservation', ...whose, window, limits, random }
  }
  // Recent ones are chosen more often, as older ones are soon over.
  const booking = model.bookings.at(-1 - (wish.which % Math.max(Math.min(model.bookings.length, 4), 1)))
  if (booking === undefined) return undefined
  const of = { actor, _id: booking._id, user_id: booking.user_id }
  if (type === 'cancel') return { type: 'CancelReservation', ...of }
  if (type === 'bind') return { type: 'BindReservation', ...of, client: wish.client }
  if (type === 'keep') return { type: 'KeepReservation', ...of }
  if (type === 'stay connected') return { type: 'KeepReservation', ...of, actor: GATEWAY }
  if (type === 'release') return { type: 'ReleaseUnattended', _id: booking._id, cause: 'keepalive' }
  if (type === 'unbind') return { type: 'UnbindReservation', _id: booking._id }
  if (type === 'shorten') {
    const end = booking.end - 900 * ((wish.which % 5) - 1) + (wish.nanosecond ? 0 : -length % 900)
    return { type: 'ShortenReservation', ...of, end: moment(end * 1000, wish.nanosecond, offsets[0]) }
  }
  const by = booking.end - booking.start + length - 2700
  const end =
    type === 'extend by'
      ? wish.nanosecond
        ? { by: Math.max(length - 2700, 1) }
        : { duration: Math.max(by, 1) }
      : moment((booking.start + by) * 1000, wish.nanosecond, offsets[0])
  return { type: 'ExtendReservation', ...of, end, limits }
}

const decide = (state: SutState, command: ReservationCommand | SutCommand, now: number): Decision =>
  command.type === 'UpdateSut' || command.type === 'RetireSut'
    ? sutDecider.decide(state, command, now)
    : reservationDecider.decide(state, command as ReservationCommand, now)

/** Asserts that no two reservations, except cancelled ones, overlap in the whole story. */
const assertCalendar = (state: SutState, model: Model): void => {
  const held = model.bookings.filter(({ standing }) => standing !== 'cancelled').sort((a, b) => a.start - b.start)
  for (const [i, { start }] of held.entries()) assert(i === 0 || (held[i - 1]?.end ?? 0) <= start, 'held twice')
  const made = held.filter(({ standing }) => standing === 'made')
  const standing = made
    .filter(({ end }) => end * 1000 > state.time)
    .map(({ standing: _, counted: __, created: ___, ...held }) => held)
  const current = findEndingAfter(state.windows, state.time / 1000)
  assert.deepEqual(
    current.map(({ lateness: _, recorded: __, ...held }) => held),
    standing,
  )
}

/** Asserts that starts and ends are recorded once, when they were due, as the other events of a log have it. */
const assertSchedule = (log: readonly Recorded[]): void => {
  const must = new Set<string>()
  const may = new Set<string>()
  const recorded: string[] = []
  const runs = Map.groupBy(
    log.flatMap((event) => ('_id' in event.data ? [{ ...event, _id: event.data._id }] : [])),
    ({ _id }) => _id,
  )
  for (const [_id, [made, ...changes]] of runs) {
    if (made?.type !== 'ReservationCreated') continue
    const starts = Math.max(Date.parse(made.data.start_time), Date.parse(made.metadata.time))
    let ends = Date.parse(made.data.end_time)
    let over = Number.POSITIVE_INFINITY
    for (const { type, data, metadata } of changes) {
      if (type === 'ReservationStarted' || type === 'ReservationEnded')
        recorded.push(`${type} ${_id} ${Date.parse(data.due)}`)
      else if (type === 'ReservationExtended' || type === 'ReservationShortened') ends = Date.parse(data.end_time)
      else if (type === 'ReservationCancelled' || type === 'ReservationReleased') over = Date.parse(metadata.time)
    }
    const isOver = over < Number.POSITIVE_INFINITY
    // One that was released before anything was recorded has no start.
    if (over >= starts) (isOver ? may : must).add(`ReservationStarted ${_id} ${starts}`)
    if (!isOver) must.add(`ReservationEnded ${_id} ${ends}`)
  }
  assert.deepEqual(new Set(recorded).size, recorded.length, 'recorded twice')
  assert.deepEqual([...must.difference(new Set(recorded))], [], 'not recorded')
  assert.deepEqual([...new Set(recorded).difference(must.union(may))], [], 'recorded wrongly')
}

const isOffGrid = (time: string): boolean => Date.parse(time) % 900_000 !== 0

/**
 * Plays a story and compares every decision with the model's.
 *
 * @param from Unix milliseconds from which starts and ends are recorded, the last of them after the story
 * @returns the resulting log and the name of every outcome
 * @throws AssertionError if a decision differs from the model's
 */
export const played = (steps: readonly Step[]): { log: readonly Recorded[]; outcomes: string[] } => {
  const log = [recordedAt(0, { time: clock('05:00'), event: sutCreated(), more: {} })]
  const model: Model = { bookings: [], active: true, retired: false, turnaround: 0 }
  const outcomes: string[] = []
  let state = log.reduce(sutDecider.evolve, sutDecider.initial)
  let clockNow = clock('05:00')
  const record = (events: readonly Event[], time: number, more: object): void => {
    for (const event of events) {
      const recorded = recordedAt(log.length, { time, event, more })
      log.push(recorded)
      state = sutDecider.evolve(state, recorded)
    }
  }
  /** Records what is due, of which the model knows nothing. */
  const advance = (now: number): void => {
    for (;;) {
      const due = decide(state, { type: 'AdvanceSchedule', sut_id: SUT_ID }, now)
      if (E.isLeft(due) || due.right.length === 0) return
      outcomes.push(...due.right.map(({ type }) => type))
      record(due.right, now, {})
    }
  }
  for (const { wait, wish } of steps) {
    clockNow += wait
    const now = Math.max(clockNow, state.time)
    if (wish.isRecorded) advance(now)
    const command = commandOf(wish, model, clockNow, log.length)
    if (command === undefined) continue
    const verdict = verdictOn(model, command, now, wish.client)
    const decision = decide(state, command, now)
    if (E.isLeft(decision)) {
      const { code, help } = decision.left
      assert.deepEqual({ code, help }, verdict)
      outcomes.push(help !== undefined && 'next_available' in help && help.next_available === null ? 'none free' : code)
      const conflicts = help !== undefined && 'conflicts' in help ? help.conflicts : []
      if (conflicts.some(({ turnaround }) => turnaround)) outcomes.push(`turnaround in the way: ${command.type}`)
      continue
    }
    assert.deepEqual(decision.right, typeof verdict === 'object' && 'event' in verdict ? [verdict.event] : [])
    const [first] = decision.right
    outcomes.push(first?.type ?? 'already so')
    if (first?.type === 'ReservationCreated' && isOffGrid(first.data.start_time)) {
      outcomes.push('ReservationCreated after a release')
    }
    if (first?.type === 'ReservationReleased' && first.data.cause) outcomes.push('released for its keepalive')
    if (typeof verdict === 'object' && 'apply' in verdict) verdict.apply()
    const { _id: by, role } = 'actor' in command ? command.actor : wish.actor
    record(decision.right, now, { actor: by, role, client: wish.client })
    assertCalendar(state, model)
  }
  advance(Math.max(clockNow, state.time) + 2 * 24 * HOUR)
  assertSchedule(log)
  return { log, outcomes }
}
