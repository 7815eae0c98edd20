import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { Decider } from '../../../src/domain/decider.ts'
import type { Event } from '../../../src/domain/event.ts'
import { type ReservationCommand, reservationDecider } from '../../../src/domain/reservation/decide.ts'
import type { SutState } from '../../../src/domain/sut/state.ts'
import { administrator, alice, createReservation, LIMITS, SUT_ID, sutCreated } from '../builders.ts'
import { type Past, recordedAt } from '../given-when-then.ts'

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
    const by = { actor: administrator, documentStatus: 'made', user_id: alice } as const
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
