import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { Decider } from '../../../src/domain/decider.ts'
import type { Event } from '../../../src/domain/event.ts'
import { type ReservationCommand, reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { SutState } from '../../../src/domain/sut/state.ts'
import {
  administrator,
  alice,
  clock,
  createReservation,
  idOf,
  LIMITS,
  type Reserving,
  reservationCreated,
  reservationEnded,
  reservationStarted,
  SUT_ID,
  sutCreated,
  sutRetired,
} from '../builders.ts'
import { at, type Past, recordedAt, records, stories } from '../given-when-then.ts'

const { given } = stories(reservationDecider)
const created = at('05:00', sutCreated())
const made = at('05:00', reservationCreated(idOf(1), '06:00', '07:00'))
const due = (time: string): string => `2030-05-02T${time}Z`
const started = at('06:00', reservationStarted(idOf(1), due('06:00:00.000')))
const advance = (from = '00:00'): Reserving<'AdvanceSchedule'> => ({
  type: 'AdvanceSchedule',
  sut_id: SUT_ID,
  from: clock(from),
})

test('a start is recorded once, from the millisecond it is due', (t) => {
  t.deepEqual(given(created, made).when(advance(), '05:59:59.999'), records())
  const start = records(reservationStarted(idOf(1), due('06:00:00.000')))
  t.deepEqual(given(created, made).when(advance(), '06:00'), start)
  t.deepEqual(given(created, made).when(advance(), '06:59'), start)
  t.deepEqual(given(created, made, started).when(advance(), '06:59:59.999'), records())
})

test('an end is recorded once, from the millisecond it is due, and after the start', (t) => {
  const end = reservationEnded(idOf(1), due('07:00:00.000'))
  t.deepEqual(given(created, made, started).when(advance(), '07:00'), records(end))
  t.deepEqual(given(created, made, started, at('07:00', end)).when(advance(), '09:00'), records())
  const late = records(reservationStarted(idOf(1), due('06:00:00.000')))
  t.deepEqual(given(created, made).when(advance(), '09:00'), late, 'after a downtime, the start comes first')
})

test('starts and ends of several reservations are recorded in order after a downtime', (t) => {
  const past = [created, made, at('05:00', reservationCreated(idOf(2), '07:00', '08:00'))]
  const recorded: string[] = []
  for (;;) {
    const decided = given(...past).when(advance(), '09:00')
    if (!('right' in decided) || decided.right.length === 0) break
    for (const event of decided.right) {
      past.push(at('09:00', event))
      recorded.push(`${event.type} ${'due' in event.data ? event.data.due : ''}`)
    }
  }
  t.deepEqual(recorded, [
    'ReservationStarted 2030-05-02T06:00:00.000Z',
    'ReservationEnded 2030-05-02T07:00:00.000Z',
    'ReservationStarted 2030-05-02T07:00:00.000Z',
    'ReservationEnded 2030-05-02T08:00:00.000Z',
  ])
})

test('an end is recorded also once the SUT has been retired', (t) => {
  const retired = at('07:30', sutRetired())
  const end = records(reservationEnded(idOf(1), due('07:00:00.000')))
  t.deepEqual(given(created, made, started, retired).when(advance(), '07:30'), end)
})

test('after a downtime of more than a month, what ended a month ago is not recorded', (t) => {
  t.deepEqual(given(created, made).when(advance(), '2030-06-02T07:00:00Z'), records())
  const start = records(reservationStarted(idOf(1), due('06:00:00.000')))
  t.deepEqual(given(created, made).when(advance(), '2030-06-02T06:59:59.999Z'), start)
})

test('an end that was never recorded leaves the state after a month', (t) => {
  const later = at(
    '2030-06-02T07:00:00Z',
    reservationCreated(idOf(2), '2030-06-03T07:00:00+00:00', '2030-06-03T08:00:00+00:00'),
  )
  t.deepEqual(given(created, made, started, later).when(advance(), '2030-06-02T08:00:00Z'), records())
})

/** Random histories of one SUT with a simulated clock, and what a reading of their log says of each reservation. */

type ReservationDecider = Decider<SutState, ReservationCommand>

const BEGIN = Date.parse('2030-05-02T06:00:00Z')
const MINUTE = 60_000

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 40 * MINUTE }) }) },
  { weight: 1, arbitrary: fc.record({ down: fc.integer({ min: 1, max: 3 * 1_440 }) }) },
  { weight: 4, arbitrary: fc.record({ startIn: fc.nat(14_400), duration: fc.integer({ min: 1, max: 14_400 }) }) },
  { weight: 2, arbitrary: fc.record({ extend: fc.nat(5), by: fc.integer({ min: 900, max: 20_000 }) }) },
  { weight: 2, arbitrary: fc.record({ cancel: fc.nat(5) }) },
)

/** Plays a story and returns its log. After most steps the schedule records what is due; while down it does not. */
const play = (
  decider: ReservationDecider,
  from: number,
  steps: readonly (typeof step extends fc.Arbitrary<infer A> ? A : never)[],
) => {
  const log: Past[] = []
  let [state, now] = [decider.initial, BEGIN]
  const record = (event: Event): void => {
    const past = { time: now, event, more: {} }
    state = decider.evolve(state, recordedAt(log.push(past) - 1, past))
  }
  const decide = (command: ReservationCommand): number => {
    const decided = decider.decide(state, command, now)
    if (E.isLeft(decided)) return 0
    for (const event of decided.right) record(event)
    return decided.right.length
  }
  const advance = (): void => {
    for (let n = 0; n < 200 && decide({ type: 'AdvanceSchedule', sut_id: SUT_ID, from }) > 0; n++);
  }
  const made = () => log.flatMap(({ event }) => (event.type === 'ReservationCreated' ? [event.data._id] : []))
  record(sutCreated())
  for (const [n, told] of steps.entries()) {
    const recent = (back: number) => made().at(-1 - back) ?? SUT_ID
    const by = { actor: administrator, user_id: alice } as const
    if ('pass' in told) now += told.pass
    else if ('down' in told) now += told.down * MINUTE
    else if ('cancel' in told) decide({ type: 'CancelReservation', ...by, _id: recent(told.cancel) })
    else if ('extend' in told)
      decide({ type: 'ExtendReservation', ...by, _id: recent(told.extend), end: { duration: told.by }, limits: LIMITS })
    else decide(createReservation({ form: 'relative', ...told }, { random: n.toString(16).padStart(16, '0') }))
    if (!('down' in told)) advance()
  }
  now += 10 * 1_440 * MINUTE
  advance()
  return log
}

/** The starts and ends that a log must have, from its other events alone, and those it has. */
const compare = (log: readonly Past[], from: number) => {
  const runs = new Map<string, { starts: number; ends: number; over: number }>()
  const has: string[] = []
  for (const { event, time } of log) {
    if (event.type === 'ReservationStarted' || event.type === 'ReservationEnded') {
      has.push(`${event.type} ${event.data._id} ${Date.parse(event.data.due)}`)
    } else if (event.type === 'ReservationCreated') {
      const { _id, start_time, end_time } = event.data
      const starts = Math.max(Date.parse(start_time), time)
      runs.set(_id, { starts, ends: Date.parse(end_time), over: Number.POSITIVE_INFINITY })
    } else if (event.type === 'ReservationExtended' || event.type === 'ReservationShortened') {
      const run = runs.get(event.data._id)
      if (run) run.ends = Date.parse(event.data.end_time)
    } else if (event.type === 'ReservationCancelled' || event.type === 'ReservationReleased') {
      const run = runs.get(event.data._id)
      if (run) run.over = time
    }
  }
  const must: string[] = []
  const may = new Set<string>()
  for (const [_id, { starts, ends, over }] of runs) {
    const start = `ReservationStarted ${_id} ${starts}`
    // One that was released in a downtime has no start, one released before may have it.
    if (starts >= from && over === Number.POSITIVE_INFINITY) must.push(start)
    else if (starts >= from && over >= starts) may.add(start)
    if (ends >= from && over === Number.POSITIVE_INFINITY) must.push(`ReservationEnded ${_id} ${ends}`)
  }
  const missing = must.filter((one) => !has.includes(one))
  const wrong = has.filter((one, n) => has.indexOf(one) !== n || !(must.includes(one) || may.has(one)))
  return { missing, wrong, recorded: has.length }
}

const law = (decider: ReservationDecider, onRecorded: (recorded: number) => void = () => undefined) =>
  fc.property(fc.array(step, { maxLength: 60, size: 'max' }), fc.constantFrom(0, 90 * MINUTE), (steps, later) => {
    const from = BEGIN + later
    const { missing, wrong, recorded } = compare(play(decider, from, steps), from)
    onRecorded(recorded)
    return missing.length === 0 && wrong.length === 0
  })

test('property: each reservation that is not cancelled or released has one start and one end, when they were due', (t) => {
  let recorded = 0
  t.notThrows(() =>
    fc.assert(
      law(reservationDecider, (n) => (recorded += n)),
      { numRuns: 300 },
    ),
  )
  t.true(recorded > 1_000, `${recorded}`)
})
