import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { Temporal } from 'temporal-polyfill'
import { findEndingAfter } from '../../../src/domain/calendar/calendar.ts'
import type { Event, Recorded } from '../../../src/domain/event.ts'
import { type ReservationCommand, reservationDecider } from '../../../src/domain/reservation/decide.ts'
import { type SutCommand, sutDecider } from '../../../src/domain/sut/decide.ts'
import type { SutState } from '../../../src/domain/sut/state.ts'
import { administrator, alice, bob, clock, SUT_ID, sutCreated, tester } from '../builders.ts'
import { type Decision, recordedAt } from '../given-when-then.ts'
import { type Model, verdictOn } from './calendar-model.ts'

const HOUR = 3_600_000
/** Short, so that random stories reach the limits. */
const limits = { windowMax: 3 * HOUR, horizon: 5 * HOUR }

/** A command whose times are relative to now, on one of the earlier reservations. */
interface Wish {
  readonly type:
    | 'reserve'
    | 'reserve from now'
    | 'cancel'
    | 'extend'
    | 'extend by'
    | 'bind'
    | 'unbind'
    | 'keep'
    | 'release'
    | 'switch'
    | 'turn around'
    | 'retire'
  readonly which: number
  /** Seconds. */
  readonly start: number
  /** Seconds. */
  readonly length: number
  readonly nanosecond: boolean
  readonly offsets: readonly [number, number]
  readonly user_id: string
  readonly actor: typeof administrator
  readonly on: boolean
  /** Whether starts and ends that are due are recorded first. */
  readonly isRecorded: boolean
  /** Seconds. */
  readonly turnaround: number
  /** The keyed hash of the address that it comes from. */
  readonly client: string
  /** Seconds; undefined if it need not be kept alive. */
  readonly keepalive: number | undefined
}

export interface Step {
  /** Milliseconds by which the clock advances, or goes back if negative. */
  readonly wait: number
  readonly wish: Wish
}

const CLIENTS = ['a', 'b'].map((hash) => `k1:${hash.repeat(22)}`)

const arbitraryWish = (): fc.Arbitrary<Wish> =>
  fc.record({
    type: fc.oneof(
      { weight: 12, arbitrary: fc.constant('reserve' as const) },
      { weight: 5, arbitrary: fc.constantFrom('reserve from now' as const, 'cancel' as const, 'extend by' as const) },
      { weight: 5, arbitrary: fc.constant('extend' as const) },
      { weight: 3, arbitrary: fc.constant('bind' as const) },
      { weight: 2, arbitrary: fc.constant('unbind' as const) },
      { weight: 4, arbitrary: fc.constantFrom('keep' as const, 'keep' as const, 'release' as const) },
      { weight: 2, arbitrary: fc.constantFrom('switch' as const, 'retire' as const) },
      { weight: 2, arbitrary: fc.constant('turn around' as const) },
    ),
    which: fc.nat(30),
    start: fc.oneof(
      fc.integer({ min: -1200, max: 19_000 }),
      fc.integer({ min: -1, max: 21 }).map((n) => n * 900),
    ),
    length: fc.oneof(
      fc.integer({ min: -300, max: 11_000 }),
      fc.integer({ min: 0, max: 12 }).map((n) => n * 900),
    ),
    nanosecond: fc.boolean(),
    offsets: fc.tuple(fc.constantFrom(0, 120, -210, 345), fc.constantFrom(0, 60, 840)),
    user_id: fc.constantFrom(alice, bob),
    actor: fc.constantFrom(administrator, administrator, tester(alice), tester(bob)),
    on: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    isRecorded: fc.boolean(),
    turnaround: fc.constantFrom(0, 900, 900, 1_800),
    client: fc.constantFrom(...CLIENTS),
    keepalive: fc.option(fc.constantFrom(30, 900, 3_600), { nil: undefined, freq: 2 }),
  })

/** The clock mostly advances by minutes; sometimes it goes back by up to an hour. */
export const arbitrarySteps = (): fc.Arbitrary<readonly Step[]> => {
  const wait = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: HOUR / 3 }) },
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -HOUR, max: 0 }) },
  )
  const one = fc.record({ wait, wish: arbitraryWish() }).map((step): readonly Step[] => [step])
  return fc
    .array(
      fc.oneof(
        { weight: 24, arbitrary: one },
        { weight: 2, arbitrary: arbitraryReturns() },
        { weight: 1, arbitrary: arbitraryNeighbours() },
        { weight: 1, arbitrary: arbitraryKeeping() },
      ),
      { maxLength: 40, size: 'max' },
    )
    .map((parts) => parts.flat())
}

/** Two reservations close to each other, a turnaround, and a longer one of the two. */
const arbitraryNeighbours = (): fc.Arbitrary<readonly Step[]> => {
  const quarters = fc.integer({ min: 1, max: 3 }).map((n) => 900 * n)
  const whose = { actor: administrator, user_id: alice, client: 'k1:aaaaaaaaaaaaaaaaaaaaaa' } as const
  const common = {
    ...whose,
    which: 0,
    nanosecond: false,
    on: true,
    isRecorded: false,
    offsets: [0, 0],
    keepalive: undefined,
  } as const
  return fc.tuple(fc.integer({ min: 1, max: 12 }), quarters, quarters).map(([first, apart, turnaround]) => {
    const wish = { ...common, start: 900 * first, length: 900, turnaround }
    const wishes: readonly Wish[] = [
      { ...wish, type: 'turn around', turnaround: 0 },
      { ...wish, type: 'reserve' },
      { ...wish, type: 'reserve', start: 900 * first + 900 + apart },
      { ...wish, type: 'turn around' },
      { ...wish, type: 'extend by', which: 1, length: 3_600 },
    ]
    return wishes.map((wish) => ({ wait: 0, wish }))
  })
}

/** A reservation from now on is kept alive, perhaps too early, and then released, perhaps too early. */
const arbitraryKeeping = (): fc.Arbitrary<readonly Step[]> => {
  const whose = { actor: administrator, user_id: alice, client: 'k1:aaaaaaaaaaaaaaaaaaaaaa', keepalive: 900 } as const
  const wish = { ...whose, start: 0, length: 9_000, which: 0, nanosecond: false, on: true, offsets: [0, 0] } as const
  const step = (wait: number, type: Wish['type']): Step => ({
    wait,
    wish: { ...wish, type, isRecorded: false, turnaround: 0 },
  })
  return fc
    .tuple(fc.integer({ min: 400_000, max: 950_000 }), fc.integer({ min: 850_000, max: 950_000 }))
    .map(([kept, released]) => [step(0, 'reserve from now'), step(kept, 'keep'), step(released, 'release')])
}

/** Consecutive reservations that start now and are soon released, mostly within the same quarter. */
const arbitraryReturns = (): fc.Arbitrary<readonly Step[]> => {
  const soon = fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 240_000 }))
  const whose = { actor: administrator, user_id: alice, client: 'k1:aaaaaaaaaaaaaaaaaaaaaa' } as const
  const unkept = { isRecorded: false, turnaround: 0, keepalive: undefined } as const
  const times = { ...whose, ...unkept, start: 0, which: 0, nanosecond: false, on: true } as const
  const offsets = fc.constantFrom([0, 0] as const, [120, -210] as const)
  const length = fc.integer({ min: 1, max: 4_000 })
  return fc.array(fc.tuple(soon, soon, length, offsets), { minLength: 1, maxLength: 4 }).map((rounds) =>
    rounds.flatMap(([before, held, length, offsets]): readonly Step[] => [
      { wait: before, wish: { ...times, type: 'reserve from now', length, offsets } },
      { wait: held, wish: { ...times, type: 'cancel', length, offsets } },
    ]),
  )
}

const commandOf = (
  wish: Wish,
  model: Model,
  clockNow: number,
  n: number,
): ReservationCommand | SutCommand | undefined => {
  const { type, start, length, actor, user_id, offsets } = wish
  const moment = (milliseconds: number, nanosecond: boolean, offset: number) => ({
    instant: new Temporal.Instant(BigInt(milliseconds) * 1_000_000n + (nanosecond ? 1n : 0n)),
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
  const of = { actor, _id: booking._id, user_id: booking.user_id, documentStatus: booking.standing }
  if (type === 'cancel') return { type: 'CancelReservation', ...of }
  if (type === 'bind') return { type: 'BindReservation', ...of, client: wish.client }
  if (type === 'keep') return { type: 'KeepReservation', ...of }
  if (type === 'release') return { type: 'ReleaseUnattended', _id: booking._id, cause: 'keepalive' }
  if (type === 'unbind') return { type: 'UnbindReservation', _id: booking._id }
  const by = booking.end - booking.start + length - 2700
  const end =
    type === 'extend by'
      ? { duration: Math.max(by, 1) }
      : moment((booking.start + by) * 1000, wish.nanosecond, offsets[0])
  return { type: 'ExtendReservation', ...of, end, limits }
}

/** The code under test: the real deciders, or deliberately broken ones. */
export interface Subject {
  readonly evolve: (state: SutState, event: Recorded) => SutState
  readonly decide: (state: SutState, command: ReservationCommand | SutCommand, now: number) => Decision
  /** The moment of a decision, from the clock and the stream's last event. */
  readonly now: (clockNow: number, last: number) => number
}

export const berth: Subject = {
  evolve: sutDecider.evolve,
  decide: (state, command, now) =>
    command.type === 'UpdateSut' || command.type === 'RetireSut'
      ? sutDecider.decide(state, command, now)
      : reservationDecider.decide(state, command as ReservationCommand, now),
  now: Math.max,
}

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
    current.map(({ lateness: _, started: __, ...held }) => held),
    standing,
  )
}

const isOffGrid = (time: string): boolean => Date.parse(time) % 900_000 !== 0

/**
 * Plays a story and compares every decision with the model's.
 *
 * @returns the resulting log and the name of every outcome
 * @throws AssertionError if a decision differs from the model's
 */
export const played = (steps: readonly Step[], subject = berth): { log: readonly Recorded[]; outcomes: string[] } => {
  const log = [recordedAt(0, { time: clock('05:00'), event: sutCreated(), more: {} })]
  const model: Model = { bookings: [], active: true, retired: false, turnaround: 0 }
  const outcomes: string[] = []
  let state = log.reduce(subject.evolve, sutDecider.initial)
  let clockNow = clock('05:00')
  const record = (events: readonly Event[], time: number, more: object): void => {
    for (const event of events) {
      const recorded = recordedAt(log.length, { time, event, more })
      log.push(recorded)
      state = subject.evolve(state, recorded)
    }
  }
  /** Records what is due, of which the model knows nothing. */
  const advance = (now: number): void => {
    for (;;) {
      const due = subject.decide(state, { type: 'AdvanceSchedule', sut_id: SUT_ID, from: 0 }, now)
      if (E.isLeft(due) || due.right.length === 0) return
      record(due.right, now, {})
    }
  }
  for (const { wait, wish } of steps) {
    clockNow += wait
    const now = subject.now(clockNow, state.time)
    if (wish.isRecorded) advance(now)
    const command = commandOf(wish, model, clockNow, log.length)
    if (command === undefined) continue
    const verdict = verdictOn(model, command, Math.max(clockNow, state.time), wish.client)
    const decision = subject.decide(state, command, now)
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
    record(decision.right, now, { actor: wish.actor._id, client: wish.client })
    assertCalendar(state, model)
  }
  return { log, outcomes }
}
