import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { EMPTY, findEndingAfter, insert } from '../../../src/domain/calendar/calendar.ts'
import type { Held } from '../../../src/domain/calendar/held.ts'
import { failure } from '../../../src/domain/failure.ts'
import type { SutState } from '../../../src/domain/sut/state.ts'
import { rounds } from '../../thorough.ts'
import { arbitrarySteps } from './arbitrary-steps.ts'
import { berth, played, type Subject } from './calendar-stories.ts'

test('property: every decision on one SUT matches a naive calendar, without double booking', (t) => {
  const property = fc.property(arbitrarySteps(), (steps) => {
    played(steps)
  })
  fc.assert(property, { numRuns: rounds(50, 400) })
  t.pass()
})

test('the stories reach every possible outcome of a calendar', (t) => {
  const reached = new Map<string, number>()
  for (const steps of fc.sample(arbitrarySteps(), { numRuns: 400, seed: 590781 })) {
    for (const outcome of played(steps).outcomes) reached.set(outcome, (reached.get(outcome) ?? 0) + 1)
  }
  const expected = [
    ...['ReservationCreated', 'ReservationCancelled', 'ReservationReleased', 'ReservationExtended', 'SutUpdated'],
    ...['ReservationBound', 'ReservationUnbound', 'ReservationKept', 'not_kept_alive', 'released for its keepalive'],
    ...['ReservationShortened', 'end_not_earlier', 'end_not_later_than_now'],
    ...['SutRetired', 'already so', 'invalid', 'window_empty', 'window_over', 'window_too_long', 'window_too_far'],
    ...['window_in_the_past', 'not_your_reservation', 'sut_retired', 'sut_inactive', 'sut_reserved'],
    'ReservationCreated after a release',
    ...['CreateReservation', 'ExtendReservation'].map((type) => `turnaround in the way: ${type}`),
    ...['reservation_conflict', 'none free', 'end_not_later', 'reservation_over', 'reservation_cancelled'],
  ]
  const rare = expected.filter((outcome) => (reached.get(outcome) ?? 0) < 5)
  t.deepEqual(rare, [], JSON.stringify(Object.fromEntries(reached)))
})

const without = (state: SutState, isForgotten: (held: Held) => boolean): SutState => ({
  ...state,
  windows: state.windows.map((chunk) => chunk.filter((held) => !isForgotten(held))).filter(({ length }) => length > 0),
})

const broken: Record<string, Partial<Subject>> = {
  'forgets extensions': {
    evolve: (state, event) => (event.type === 'ReservationExtended' ? state : berth.evolve(state, event)),
  },
  'forgets that a reservation was shortened': {
    evolve: (state, event) => (event.type === 'ReservationShortened' ? state : berth.evolve(state, event)),
  },
  'forgets what a reservation was bound to': {
    evolve: (state, event) => (event.type === 'ReservationBound' ? state : berth.evolve(state, event)),
  },
  'forgets that a binding has ended': {
    evolve: (state, event) => (event.type === 'ReservationUnbound' ? state : berth.evolve(state, event)),
  },
  'forgets that a reservation was kept alive': {
    evolve: (state, event) => (event.type === 'ReservationKept' ? state : berth.evolve(state, event)),
  },
  'does not free released time': {
    evolve: (state, event) => (event.type === 'ReservationReleased' ? state : berth.evolve(state, event)),
  },
  'forgets when a reservation was released': {
    evolve: (state, event) => without(berth.evolve(state, event), ({ recorded }) => recorded === 'release'),
  },
  'remembers only the last release': {
    evolve: (state, event) => {
      const next = berth.evolve(state, event)
      const last = next.windows.flat().findLast(({ recorded }) => recorded === 'release')
      return without(next, (held) => held.recorded === 'release' && held !== last)
    },
  },
  'forgets a reservation once its end is recorded': {
    evolve: (state, event) => without(berth.evolve(state, event), ({ recorded }) => recorded === 'end'),
  },
  'forgets the turnaround': {
    evolve: (state, event) =>
      berth.evolve(state, event.type === 'SutUpdated' ? { ...event, data: { _id: event.data._id } } : event),
  },
  'ignores existing reservations': {
    decide: (state, command, now) => berth.decide({ ...state, windows: EMPTY }, command, now),
  },
  'checks only the first reservation': {
    decide: (state, command, now) =>
      berth.decide({ ...state, windows: findEndingAfter(state.windows, 0, 1).reduce(insert, EMPTY) }, command, now),
  },
  'trusts a clock that was set back': { now: (clockNow) => clockNow },
  'refuses without naming conflicts and free windows': {
    decide: (state, command, now) => {
      const decision = berth.decide(state, command, now)
      return E.isLeft(decision) ? E.left(failure(decision.left.code, decision.left.detail)) : decision
    },
  },
}
for (const [what, part] of Object.entries(broken)) {
  test(`control: a calendar that ${what} is detected`, (t) => {
    const property = fc.property(arbitrarySteps(), (steps) => {
      played(steps, { ...berth, ...part })
    })
    t.true(fc.check(property, { numRuns: 400, endOnFailure: true }).failed)
  })
}
