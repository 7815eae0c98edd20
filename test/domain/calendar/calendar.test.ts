import test from 'ava'
import fc from 'fast-check'
import { rounds } from '../../thorough.ts'
import { arbitrarySteps } from './arbitrary-steps.ts'
import { played } from './calendar-stories.ts'

test('property: every decision on one SUT matches a naive calendar, without double booking', (t) => {
  const property = fc.property(arbitrarySteps(), (steps) => void played(steps))
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
    ...['ReservationStarted', 'ReservationEnded', 'ReservationShortened', 'end_not_earlier', 'end_not_later_than_now'],
    ...['SutRetired', 'already so', 'invalid', 'window_empty', 'window_over', 'window_too_long', 'window_too_far'],
    ...['window_in_the_past', 'not_your_reservation', 'sut_retired', 'sut_inactive', 'sut_reserved'],
    'ReservationCreated after a release',
    ...['CreateReservation', 'ExtendReservation'].map((type) => `turnaround in the way: ${type}`),
    ...['reservation_conflict', 'none free', 'end_not_later', 'reservation_over'],
  ]
  const rare = expected.filter((outcome) => (reached.get(outcome) ?? 0) < 5)
  t.deepEqual(rare, [], JSON.stringify(Object.fromEntries(reached)))
})
